"""Descriptions written by people: benchmarks, boards, accepted changes and moved pages."""
