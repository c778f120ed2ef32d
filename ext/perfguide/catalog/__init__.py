"""Hand-written descriptions: benchmarks, boards, accepted changes and moved pages."""
