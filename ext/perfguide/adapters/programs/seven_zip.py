"""7-zip and p7zip: ratings of compression and decompression in MIPS, and speeds by dictionary."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines, words
from ..log_sheet import Sheet

# Layout: ``Bench`` in Bench.cpp (p7zip 9.20 to 7-zip 26). The ratings are means of all
# dictionaries.
_HEADER = re.compile(r"(?:Dict)? *Speed +Usage +R/U +Rating +\| +Speed +Usage +R/U +Rating *")
_ROW = re.compile(
    r"([0-9]{1,2}|Avr):((?: +[0-9]{1,9}){3,4})(?: +\||(?= {8}))((?: +[0-9]{1,9}){3,4}) *"
)
_TOTAL = re.compile(r"Tot:((?: +[0-9]{1,9}){3}) *((?: +[0-9]{1,9}){3})? *")
_THREADS = re.compile(r".*Benchmark threads: +([0-9]{1,5}).*")
_DAMAGED_THREADS = re.compile(r"RAM us.*")
_DAMAGED_HEADER = re.compile(r"(?:Dict)? *Speed.*")
_VERSION = re.compile(r"7-Zip (?:\([a-z]\) )?(?:\[[0-9]{2}\] )?([0-9]{1,2}\.[0-9]{2})\b.*")


def read(data: bytes, context: Context) -> Reading:
    """Return the ratings of compression, decompression and both, and the speeds by dictionary."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}
    table_width = 0
    left_half_width = 0
    table_line = 0
    has_lost_threads = False

    def add(line: Line, metric: str, unit: str, text: str, power: str = "") -> None:
        own_params = params | ({"dictionary": 2 ** int(power)} if power else {})
        sheet.figure(line.number, "7-zip", metric, unit, float(text), own_params)

    for line in lines(data):
        text = line.text.rstrip(" \t")
        if match := _VERSION.fullmatch(text):
            sheet.fact("tools.7-zip", match[1])
        elif match := _THREADS.fullmatch(text):
            params["threads"] = int(match[1])
            has_lost_threads = False
        elif _DAMAGED_THREADS.fullmatch(text):
            sheet.broken(line.number, "the number of threads of 7-zip is cut or damaged")
            has_lost_threads = True
        elif has_lost_threads:
            # Without the number of threads, the ratings below have no meaning.
            continue
        elif _HEADER.fullmatch(text):
            # Numbers end where the words of the header do, so a truncated row is shorter.
            table_width = len(text)
            left_half_width = len(text.partition("|")[0].rstrip())
            table_line = line.number
        elif _DAMAGED_HEADER.fullmatch(text):
            sheet.broken(line.number, "the header of a 7-zip table is cut or damaged")
            table_width = 0
        elif not table_width or not re.match(r" ?(?:[0-9]{1,2}|Avr|Tot):", text):
            continue
        elif text.startswith("Tot"):
            match = _TOTAL.fullmatch(text)
            if match and len(text) >= (table_width if match[2] else left_half_width):
                _, _, rating = words(match[2] or match[1])
                add(line, "total_rating", "MIPS", rating)
            else:
                sheet.broken(line.number, "a row of 7-zip is cut or damaged")
            table_width = 0
            table_line = 0
        else:
            match = _ROW.fullmatch(text)
            if match is None or len(text) < table_width:
                sheet.broken(line.number, "a row of 7-zip is cut or damaged")
                continue
            for cells, operation in (
                (words(match[2]), "compression"),
                (words(match[3]), "decompression"),
            ):
                if match[1] == "Avr":
                    add(line, f"{operation}_rating", "MIPS", cells[-1])
                elif len(cells) == 4:
                    add(line, f"{operation}_speed", "KiB/s", cells[0], match[1])
        sheet.understood(line.number)
    if table_line:
        sheet.broken(table_line, "this table of 7-zip has no row “Tot”: it is cut")
    return sheet.reading()


FORMAT = Format(
    name="7-zip",
    title="7-zip and p7zip, 7z b",
    example="""\
RAM usage:   1323 MB,  # Benchmark threads:      6
Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating
22:       6143   542   1103   5976  |     119945   545   1877  10229
Avr:             542   1103   5976  |              545   1877  10229
Tot:             543   1490   8102
""",
    recognises=holds(rb"Speed +Usage +R/U +Rating +\|"),
    read=read,
)
