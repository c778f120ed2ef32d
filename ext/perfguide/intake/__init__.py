"""Uploads and logs on their way in."""
