"""One page of each kind from the site of the project's own results."""

LIGHT_GUIDE = "source/guides/AM62X/linux/09.00.00.03.html"
GUIDE = "source/guides/AM62X/linux/09.01.00.08.html"
LARGEST_GUIDE = "source/guides/X86-64/linux/12.11.html"
BENCHMARK = "source/by-benchmark/openssl.html"
LONG_TABLE = "source/by-benchmark/openssl/x86-64-linux-openssl-nice-throughput.html"

KINDS = {
    "landing page": "index.html",
    "guides": "source/guides/index.html",
    "SoC": "source/guides/AM62X/index.html",
    "guide": LIGHT_GUIDE,
    "largest guide, with charts": LARGEST_GUIDE,
    "benchmarks": "source/by-benchmark/index.html",
    "benchmark": "source/by-benchmark/ethernet-udp.html",
    "benchmark with many tables": BENCHMARK,
    "table on a page of its own": LONG_TABLE,
    "comparison": "source/compare/AM62X/linux/09.00.00.03-vs-09.01.00.08.html",
    "uploads": "source/reports/provenance.html",
    "provenance": "source/reports/provenance/AM335X/linux/06.00.00.00.html",
    "health": "source/reports/health.html",
    "errata": "source/reports/errata.html",
    "verdicts": "source/reports/verdicts.html",
    "errata of a guide": "source/reports/errata/SOC1/linux/09.02.html",
    "explorer": "source/explore.html",
    "glossary": "source/glossary.html",
    "methods": "source/methods.html",
    "publishing": "source/publishing.html",
    "search": "search.html?q=lmbench",
    "index": "genindex.html",
}
