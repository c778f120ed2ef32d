"""The terms of ``openssl speed``, unified across its versions.

Names of algorithms vary: 1.0 prints ``aes-128 cbc``, 1.1 ``aes-128-cbc``, 3.x ``AES-128-CBC``, and
``sha256`` is ``SHA2-256`` in 3.x.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..log_lines import figure, thousandth, words

ACCELERATORS = frozenset({"afalg", "cryptodev", "devcrypto"})
"""Engines that hand the work to the kernel's drivers, that is, to hardware."""

NAME = r"[A-Za-z][!-9;-~]{0,60}(?: [A-Za-z0-9][!-9;-~]{0,30}){0,3}"
"""An algorithm as openssl prints it: up to four words, no colon."""

CELL = r"(?:[0-9]{1,15}\.[0-9]{2}|-?inf|-?nan)k?"
"""A figure in the table of throughputs."""
_CELL = re.compile(CELL)

_LEGACY = {
    # Without -evp, apps/speed.c prints names of its own.
    "des-ede3": "des-ede3-cbc",
    "blowfish-cbc": "bf-cbc",
    "cast-cbc": "cast5-cbc",
    "rmd160": "ripemd160",
    "ripemd-160": "ripemd160",
    "blake2b-512": "blake2b512",
    "blake2s-256": "blake2s256",
    "id-aes128-gcm": "aes-128-gcm",
    "id-aes192-gcm": "aes-192-gcm",
    "id-aes256-gcm": "aes-256-gcm",
}
_SHA2 = re.compile(r"sha2-([0-9]+(?:/[0-9]+)?)")
_SHORT_AES = re.compile(r"aes(128|192|256)")


@lru_cache(maxsize=1000)  # logs repeat a few names thousands of times
def canonical(name: str) -> str:
    """Return the canonical name of an algorithm: in lower case, as ``openssl list`` of 1.1."""
    spelt = name.strip().lower()
    if inner := re.fullmatch(r"([a-z0-9]+)\((.+)\)", spelt):
        return f"{inner[1]}({canonical(inner[2])})"
    # With -evp, this is the ECB mode; old tables print DES-EDE3-CBC as "des ede3".
    if spelt == "des-ede3":
        return spelt
    spelt = spelt.replace(" ", "-")
    spelt = _SHA2.sub(lambda m: "sha" + m[1].replace("/", "-"), spelt)
    if _SHORT_AES.fullmatch(spelt):
        return f"aes-{spelt[3:]}-cbc"
    if spelt == "des3":
        return "des-ede3-cbc"
    return _LEGACY.get(spelt, spelt)


PAST_EVP = re.compile(r"\s*[a-z0-9-]+ (?:cbc|ige|ede3|ofb|ecb|cfb)\s*", re.IGNORECASE)
"""The name of a cipher outside the EVP interface, as in a row."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The figures of one row, in kB/s, or the row's fault."""

    values: tuple[float, ...] = ()
    fault: str = ""


def cells(text: str) -> Cells:
    """Return the figures after an algorithm's name, in kB/s (1000 bytes).

    ``print_result`` of apps/speed.c prints ``%11.2fk`` above 10,000 bytes per second, and otherwise
    bytes per second without a ``k``. A last figure that lost its ``k`` would be read as a
    thousandth, so it is refused."""
    texts = words(text)
    values: list[float] = []
    mixed = any(word.endswith("k") for word in texts)
    for at, word in enumerate(texts):
        if not _CELL.fullmatch(word):
            return Cells(fault=f"“{word[:40]}” is not a figure of openssl speed")
        if word.endswith("k"):
            value = figure(word[:-1])
            if value is None or value < 10:
                return Cells(fault=f"“{word}” is too small for the suffix k: its front is cut")
        else:
            value = thousandth(word)
            last = at == len(texts) - 1 and not text.endswith((" ", "\t"))
            if value > 10 or (mixed and last and value != 0):
                return Cells(fault=f"“{word}” has no suffix k: the row is cut")
        values.append(value)
    return Cells(tuple(values))
