"""Comparison of two releases: rows paired, judged, and written as text, Markdown, HTML or data."""
