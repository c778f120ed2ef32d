"""Receiving uploads and logs."""
