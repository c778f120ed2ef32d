"""The sources of the site's pages: guides, SoCs, benchmarks, comparisons and reports."""
