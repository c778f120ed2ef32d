"""Comparison of two releases: rows are paired, judged, and written as text, Markdown, HTML or data."""
