"""Many episodes at once: the run, their records, and the processes and clusters that play them."""
