"""7-zip and p7zip: ratings of compression and decompression in MIPS, and speeds by dictionary."""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, holds, lines, words
from ..log_sheet import Sheet

# Layout: ``Bench`` in Bench.cpp (p7zip 9.20 to 7-zip 26). The ratings are means of all
# dictionaries.
_ZIP_HEAD = re.compile(r"(?:Dict)? *Speed +Usage +R/U +Rating +\| +Speed +Usage +R/U +Rating *")
_ZIP_ROW = re.compile(
    r"([0-9]{1,2}|Avr):((?: +[0-9]{1,9}){3,4})(?: +\||(?= {8}))((?: +[0-9]{1,9}){3,4}) *"
)
_ZIP_TOTAL = re.compile(r"Tot:((?: +[0-9]{1,9}){3}) *((?: +[0-9]{1,9}){3})? *")
_ZIP_THREADS = re.compile(r".*Benchmark threads: +([0-9]{1,5}).*")
_ZIP_LIKE_THREADS = re.compile(r"RAM us.*")
_ZIP_LIKE_HEAD = re.compile(r"(?:Dict)? *Speed.*")
_ZIP_VERSION = re.compile(r"7-Zip (?:\([a-z]\) )?(?:\[[0-9]{2}\] )?([0-9]{1,2}\.[0-9]{2})\b.*")


def read(data: bytes, context: Context) -> Reading:
    """Return the ratings of compression, decompression and both, and the speeds by dictionary."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}
    width = half = open_row = 0
    has_lost_threads = False

    def add(line: Line, metric: str, unit: str, text: str, power: str = "") -> None:
        own_params = params | ({"dictionary": 2 ** int(power)} if power else {})
        sheet.figure(line.number, "7-zip", metric, unit, float(text), own_params)

    for line in lines(data):
        text = line.text.rstrip(" \t")
        if match := _ZIP_VERSION.fullmatch(text):
            sheet.fact("tools.7-zip", match[1])
        elif match := _ZIP_THREADS.fullmatch(text):
            params["threads"] = int(match[1])
            has_lost_threads = False
        elif _ZIP_LIKE_THREADS.fullmatch(text):
            sheet.broken(line.number, "the number of threads of 7-zip is cut or damaged")
            has_lost_threads = True
        elif has_lost_threads:
            continue
        elif _ZIP_HEAD.fullmatch(text):
            # Numbers end where the words of the head do, so a truncated row is shorter.
            width, half, open_row = len(text), text.index("|") - 2, line.number
        elif _ZIP_LIKE_HEAD.fullmatch(text):
            sheet.broken(line.number, "the head of a table of 7-zip is cut or damaged")
            width = 0
        elif not width or not re.match(r" ?(?:[0-9]{1,2}|Avr|Tot):", text):
            continue
        elif text.startswith("Tot"):
            match = _ZIP_TOTAL.fullmatch(text)
            if match and len(text) >= (width if match[2] else half):
                add(line, "total_rating", "MIPS", words(match[2] or match[1])[2])
            else:
                sheet.broken(line.number, "a row of 7-zip is cut or damaged")
            open_row = width = 0
        else:
            match = _ZIP_ROW.fullmatch(text)
            if match is None or len(text) < width:
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
    if open_row:
        sheet.broken(open_row, "this table of 7-zip has no row “Tot”: it is cut")
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
