"""What stands between this package and what others wrote: JSON, endpoints, files, programs."""
