"""Two releases compared: rows paired, judged, and written as text, Markdown, HTML or data."""
