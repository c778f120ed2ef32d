"""Importing previously published guides as bundles."""
