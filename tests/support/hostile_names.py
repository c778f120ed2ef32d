"""Names with a meaning to Sphinx, docutils, a file system, a web server or a URL."""

from __future__ import annotations

from perfguide.common.slugs import ENDINGS, RESERVED, SERVED

NAMES_BY_RULE = (
    *sorted(RESERVED),
    *(word.upper() for word in ("self", "con", "_Static", "index")),
    *(f"{word}.c" for word in ("con", "search", "latest", "_sources", "self")),
    *(f"a{ending}" for ending in ENDINGS),
    *(f"a.{word}" for word in sorted(SERVED)),
)
"""Names that are special because they are in a list, or contain or end with a word that is."""

NAMES = (
    *NAMES_BY_RULE,
    *("a.gz.b", "a.data.csv", "a.html.json", "_", "_x", "x_", "x__"),
    *("://", "http://example.com", "a://b", "a:b", "C:", "//a", "mailto:a", "javascript:a()"),
    *(
        "x <self>",
        "<index>",
        "a <b>",
        "<>",
        "<",
        "`a <b>`_",
        "a <b> <c>",
        "!a",
        "|a|",
        ":doc:`self`",
    ),
    *(".", "..", "...", ".a", ".#a", ".git", ".htaccess", ".nojekyll", ".doctrees", ".rst"),
    *("a/b", "/", "/etc/passwd", "../../a", "a\\b", "\\", "~", "-", "--", "-x", "- a", " a", "a "),
    *("%", "%s", "%2e%2e", "a%2fb", "%00", "?", "a?b", "#", "a#b", "&", "a&b=c", "+", "a+b"),
    *("*", "**", "[a]", "[!a]", "{a}", "{{ a }}", "*.md", ".*", "**/_sources", "source/guides/*"),
    *(
        "conf.py",
        "objects.inv",
        "searchindex.js",
        ".buildinfo",
        "environment.pickle",
        "404",
        "CNAME",
    ),
    *("guides", "by-benchmark", "compare", "reports", "provenance", "errata", "api", "moves"),
    *(
        "overview",
        "overview.json",
        "words.json",
        "health",
        "verdicts",
        "other",
        "sources",
        "bundles",
    ),
    *("sdk-a", "sdk-x", "sdk-processor-sdk", "Processor SDK", "linux", "Linux", "all boards"),
    *(".. raw:: html", "::", "====", "= =", ".. ", "''", '"', "'", "__", "***", "[1]_"),
    *(
        "a\u0301",
        "\u00e1",
        "ｓｅｌｆ",
        "ＣＯＮ",
        "ﬁ",
        "K",
        "İ",
        "日本",
        "x" * 100,
        "x" * 200,
        "ß" * 200,
    ),
)
"""Names that a bundle may contain."""
