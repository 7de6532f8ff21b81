"""Families of tasks on a phone, one file for each topic; their ids stand in `PHONES`."""
