"""What people write about benchmarks, boards, accepted changes and moved pages."""
