"""The colours of pictures and spreadsheets. perfguide.css repeats them for pages."""

SERIES = ("#2f7fd0", "#c2560c", "#9a55c4", "#2a8a5e", "#b0447a", "#8a7200", "#5f7a8c", "#c0392b")
"""The colours of boards, chosen to contrast with light and dark backgrounds. In charts, lines also
differ in dashes and markers."""

RAMPS = (
    ("#7db2de", "#5797ca", "#3a7fb8", "#2a689e", "#1b5182", "#123e67", "#0a2b4a"),
    ("#eda36b", "#e08239", "#cb661a", "#ad5210", "#8c400a", "#6b3007", "#4a2104"),
    ("#c59ade", "#ae78cf", "#965abb", "#7d43a1", "#643284", "#4c2466", "#341848"),
)
"""Colours from light to dark for lines that have an order; each group gets a ramp."""

INK = "#25303b"
QUIET = "#56626e"
LINE = "#d5dbe1"
HEAD = "#eef2f6"
ALARM = "#a3200d"
