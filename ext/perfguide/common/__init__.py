"""Helpers that every other folder uses."""
