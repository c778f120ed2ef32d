"""Figures arranged in rows and columns."""
