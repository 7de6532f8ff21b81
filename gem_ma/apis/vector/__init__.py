"""Many environments in step: Gymnasium's vector API for one seat, and one for all seats."""
