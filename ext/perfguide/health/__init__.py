"""Faults in the figures themselves, found by rules."""
