"""Figures in rows and columns."""
