"""Rules that find faults in the figures themselves."""
