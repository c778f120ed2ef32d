"""A command line as the benchmark that it ran.

Only what is understood to the last word gives an answer: an option that is not
known could change what was measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from . import Scalar
from .log_lines import words
from .openssl.terms import ACCELERATORS, canonical


@dataclass(frozen=True, slots=True)
class Command:
    """What a command measures.

    ``whole`` is false where the CPU time of its children may not be in its own.
    """

    benchmark: str
    params: dict[str, Scalar] = field(default_factory=dict)
    engine: str = ""
    whole: bool = True


_SHELL = re.compile(r"[;&|<>`$(){}\"'\\]")
_WHOLE = re.compile(r"[-+]?[0-9]{1,9}")

_OPENSSL_FLAGS = {"-elapsed", "-mr", "-mlock", "-aead"}
_OPENSSL_VALUES = {"-seconds", "-engine", "-multi", "-bytes", "-evp", "-hmac", "-cmac"}
_OPENSSL_VALUES |= {"-provider", "-provider-path", "-propquery", "-config", "-rand"}


def understand(text: str) -> Command | None:
    """The program that a command line ran; ``None`` where it is not known.

    ``text`` is as ``time -v`` shows it: words with single spaces, not quoted.
    """
    found = words(text)
    nice: int | None = None
    if found[:2] == ["sh", "-c"]:
        found = found[2:]
    if any(_SHELL.search(word) for word in found):
        return None
    while found:
        name = found[0].rpartition("/")[2]
        if name == "nice":
            level, taken = _nice(found)
            if level is None:
                return None
            nice = (nice or 0) + level
            found = found[taken:]
        elif name == "taskset" and len(found) > 2:
            found = found[3:] if found[1] in ("-c", "--cpu-list") else found[2:]
        elif name == "env":
            found = found[1:]
        elif re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*=.*", found[0]) or name in ("busybox", "time"):
            found = found[1:]
            if found[:1] == ["-v"]:
                found = found[1:]
        else:
            break
    if not found:
        return None
    name, arguments = found[0].rpartition("/")[2], found[1:]
    command: Command | None = None
    if name == "openssl" and arguments[:1] == ["speed"]:
        command = _openssl(arguments[1:])
    elif name == "hdparm":
        command = _hdparm(arguments)
    if command and nice is not None:
        # The kernel takes 20 for 19.
        command.params["nice"] = max(-20, min(19, nice))
    return command


def _nice(found: list[str]) -> tuple[int | None, int]:
    """The level that ``nice`` adds, and how many words say so."""
    if len(found) > 2 and found[1] in ("-n", "--adjustment"):
        return (int(found[2]), 3) if _WHOLE.fullmatch(found[2]) else (None, 0)
    if len(found) > 1 and (
        short := re.fullmatch(r"-(?:n|-adjustment=)?([-+]?[0-9]{1,3})", found[1])
    ):
        return int(short[1]), 2
    return 10, 1


def _openssl(arguments: list[str]) -> Command | None:
    values: dict[str, str] = {}
    names: list[str] = []
    words_left = iter(arguments)
    for word in words_left:
        if word in _OPENSSL_FLAGS:
            continue
        if word in _OPENSSL_VALUES:
            value = next(words_left, None)
            if value is None:
                return None
            values[word] = value
        elif word.startswith("-"):
            return None
        else:
            names.append(canonical(word))
    names += [canonical(values["-evp"])] if "-evp" in values else []
    names += [f"{m}({canonical(values['-' + m])})" for m in ("hmac", "cmac") if "-" + m in values]
    if len(names) != 1 or re.match(r"(?:rsa|dsa|ecdsa|ecdh|ed|ffdh|sm2|eddsa)[0-9]*", names[0]):
        return None
    params: dict[str, Scalar] = {"algorithm": names[0]}
    for option, name in (("-multi", "threads"), ("-bytes", "block_size")):
        if option in values:
            if not re.fullmatch(r"[0-9]{1,9}", values[option]):
                return None
            params[name] = int(values[option])
    engine = values.get("-engine", "")
    if engine.lower() in ACCELERATORS:
        params["engine"] = "hw"
    return Command("openssl", params, engine, whole="-multi" not in values)


def _hdparm(arguments: list[str]) -> Command | None:
    options = "".join(a[1:] for a in arguments if a.startswith("-") and not a.startswith("--"))
    long = [a for a in arguments if a.startswith("--")]
    devices = [a for a in arguments if not a.startswith("-")]
    if not options or set(options) - set("tT") or len(devices) != 1 or set(long) - {"--direct"}:
        return None
    params: dict[str, Scalar] = {"device": devices[0]}
    return Command("hdparm", params | ({"direct": True} if long else {}))
