"""The pages of the site, as sources: guides, SoCs, benchmarks, comparisons, reports."""
