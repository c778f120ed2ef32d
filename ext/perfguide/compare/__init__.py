"""Two releases compared: rows paired, judged, and told as text, Markdown, HTML or data."""
