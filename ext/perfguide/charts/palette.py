"""The colours of pictures, spreadsheets and badges; perfguide.css has the same for pages."""

SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8c6d31")
"""Okabe and Ito's colours, which colour-blind readers can distinguish; in grey print lines differ
by dashes and markers. Source: jfly.uni-koeln.de/color."""

RAMPS = (
    ("#7db2de", "#5797ca", "#3a7fb8", "#2a689e", "#1b5182", "#123e67", "#0a2b4a"),
    ("#eda36b", "#e08239", "#cb661a", "#ad5210", "#8c400a", "#6b3007", "#4a2104"),
    ("#c59ade", "#ae78cf", "#965abb", "#7d43a1", "#643284", "#4c2466", "#341848"),
)
"""Colours from light to dark for lines that have an order, a ramp for each group."""

INK = "#25303b"
QUIET = "#56626e"
LINE = "#d5dbe1"
HEAD = "#eef2f6"
ALARM = "#a3200d"
