"""The tables of public-key operations that ``openssl speed`` prints last.

The head of each table has as many times as rates; the rates are the metrics::

                      sign    verify    sign/s verify/s
    rsa 2048 bits 0.000247s 0.000016s   4056.0  61575.5

``-mr`` output (``+F2:`` …) is not read: its figures are seconds until 1.1.0 and operations per
second since then, and nothing in it says which."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from .. import Scalar
from ..log_lines import Line, figure, words
from ..log_sheet import Sheet

UNIT = "operations/s"

_RATES = {
    "sign/s": "sign",
    "verify/s": "verify",
    "encr./s": "encrypt",
    "decr./s": "decrypt",
    "op/s": "op",
    "keygens/s": "keygen",
    "encaps/s": "encaps",
    "decaps/s": "decaps",
}
_TIMES = ("sign", "signs", "verify", "encrypt", "decrypt", "op", "keygen", "encaps", "decaps")
_SPACE = r"[ \t]+"
_LIKE = re.compile(
    r"^[ \t]*(?:rsa|dsa)\b|[0-9] bits?\b|[0-9]{4,6}s\b|[0-9]\.[0-9][ \t]+[0-9]+\.[0-9]"
)
_ROW = re.compile(
    r"(?:"
    r"[ \t]*(?P<kind>rsa|dsa)[ \t]+(?P<bits>[0-9]{2,6}) bits"
    # At least four columns wide, so that a front that was cut off shows.
    r"|(?P<size>[0-9]{4,6}|[ ][0-9]{3}|[ ]{2}[0-9]{2}) bits? (?P<curve>ecdsa|ecdh|EdDSA|SM2|ffdh)(?: \((?P<named>"
    r"nist[pkb][0-9]{3}|secp[0-9]{3}[rk]1|brainpoolP[0-9]{3}[rt]1|X25519|X448|Ed25519|Ed448|CurveSM2"
    r")\))?"
    r"|[ \t]*(?P<plain>[A-Za-z][!-~]{1,60})"
    r")"
    rf"(?P<times>(?:{_SPACE}[0-9]{{1,9}}\.[0-9]{{4,6}}s)+)"
    rf"(?P<rates>(?:{_SPACE}(?:[0-9]{{1,15}}\.[0-9]|-?inf|-?nan))+)[ \t]*"
)


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The columns of a table of public-key operations."""

    metrics: tuple[str, ...]
    interface: str = ""


def heading(text: str) -> KeyTable | None:
    """Return the table that has this line as its heading, or ``None``."""
    if "/s" not in text:
        return None
    heads = words(text)
    rates = [w for w in heads if w in _RATES]
    times = [w for w in heads if w in _TIMES]
    if not rates or len(rates) != len(times) or len(rates) + len(times) != len(heads):
        return None
    metrics = tuple(_RATES[w] for w in rates)
    # Since 3.2 the same operations are measured through two other interfaces too.
    interface = "kem" if "encaps" in metrics else "signature" if "keygen" in metrics else ""
    return KeyTable(metrics, interface)


def row(
    line: Line,
    table: KeyTable,
    params: Mapping[str, Scalar],
    measured: Collection[str],
    sheet: Sheet,
) -> None:
    """Read a line under a table's heading; a line that is not a row is left alone.

    ``measured`` are the names that were announced, as far as that is known.
    """
    match = _ROW.fullmatch(line.text)
    if match and (match["plain"] is not None) != bool(table.interface):
        match = None
    # Any word before figures would pass for a key.
    if match and match["plain"] and measured and match["plain"].lower() not in measured:
        match = None
    if match is None:
        like = _LIKE.search(line.text)
        if like:
            sheet.broken(line.number, "a row of openssl's public-key table is cut or damaged")
        return
    rates = words(match["rates"])
    if len(rates) != len(table.metrics) or len(words(match["times"])) != len(table.metrics):
        sheet.broken(line.number, f"a row of {len(table.metrics)} operations is cut or damaged")
        return
    key = _key(match)
    more: dict[str, Scalar] = {"interface": table.interface} if table.interface else {}
    for metric, rate in zip(table.metrics, rates, strict=True):
        value = figure(rate)
        if value is not None:
            sheet.figure(
                line.number, "openssl", metric, UNIT, value, {**params, "key": key, **more}
            )


def _key(match: re.Match[str]) -> str:
    if match["kind"]:
        return f"{match['kind']}-{match['bits']}"
    if match["plain"]:
        return match["plain"].lower()
    curve, named = match["curve"].lower(), (match["named"] or match["size"].strip()).lower()
    return named if curve in ("eddsa", "sm2") else f"{curve}-{named}"
