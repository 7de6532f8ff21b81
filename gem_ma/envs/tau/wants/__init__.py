"""What users of TAU-bench want and know, in words: from the task, its gold and the data."""
