"""Games of bids, gifts and bargains."""
