"""One table of pooled figures, and questions to it."""
