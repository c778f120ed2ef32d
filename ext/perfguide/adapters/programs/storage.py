"""Storage: ioping, dd and cryptsetup benchmark.

Layouts: ``print_statistics`` in ioping.c, ``print_xfer_stats`` in dd.c of coreutils and
BusyBox, ``action_benchmark`` in cryptsetup.c. ioping prints three digits with ``k``, ``M`` and
``G`` for thousands and so on, and sizes in powers of 1024. BusyBox's dd writes powers of 1024
as ``kB``, ``MB`` and ``GB``.

What dd copied is known where its command stands on a line before; ``elapsed`` has more digits
than the rate.
"""

from __future__ import annotations

import re
from decimal import Decimal

from .. import Context, Format, Reading, Scalar
from ..log_lines import Line, figure, holds
from ..log_rows import row, scan, skip
from ..log_sheet import Sheet

_SCALED = r"([0-9]{1,9}(?:\.[0-9]{1,3})?)( [kMGTP])?"
_TIME = r"([0-9]{1,9}(?:\.[0-9]{1,3})?) (ns|us|ms|s|min|hour)"
_RATE = r"([0-9]{1,9}(?:\.[0-9]{1,3})?) (B|KiB|MiB|GiB)/s"
_POWERS = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
_SIZE = re.compile(r"([0-9]{1,12})([kKMG]?)(?:iB)?")
_CIPHERS = "(?:aes|serpent|twofish|camellia|cast[56]|anubis|blowfish|kuznyechik|sm4|aria|des3_ede)"
_HASHES = "(?:sha1|sha(?:3-)?(?:224|256|384|512)|ripemd160|whirlpool|stribog(?:256|512)|sm3|blake2[bs]-[0-9]{3})"
_OPTION = re.compile(r"(?:if|of|bs|ibs|obs|count|conv|iflag|oflag)=[!-~]{1,200}")
_LONGEST_COMMAND = 1000


def read_ioping(data: bytes, context: Context) -> Reading:
    """Latencies, requests a second and throughput of each run."""
    sheet = Sheet(context)
    params: dict[str, Scalar] = {}

    def request(line: Line, found: re.Match[str]) -> None:
        scale = {"B": 1, "KiB": 1024, "MiB": 1024**2}[found[2]]
        params["buffer_size"] = round(float(found[1]) * scale)
        params["operation"] = "read" if found[3] == "<<<" else "write"

    def device(line: Line, found: re.Match[str]) -> None:
        params["device"] = found[1]

    def completed(line: Line, found: re.Match[str]) -> None:
        params["operation"] = {"written": "write"}.get(found[1], found[1])
        rate = float(Decimal(found[2]).scaleb(_POWERS[(found[3] or "").strip()]))
        give(line, "iops", "operations/s", rate)
        give(line, "throughput", f"{found[5]}/s", float(found[4]))

    def latencies(line: Line, found: re.Match[str]) -> None:
        if "operation" not in params:
            sheet.broken(
                line.number, "what these latencies are of is not stated: a line is damaged"
            )
            return
        for at, name in enumerate(("min", "avg", "max", "mdev")):
            text, unit = found[2 * at + 1], found[2 * at + 2]
            if unit in ("min", "hour"):
                sheet.broken(line.number, f"a latency in units of “{unit}” is not read")
                continue
            give(line, f"latency_{name}", unit, float(text), zero=name in ("min", "mdev"))
        params.clear()

    def give(line: Line, metric: str, unit: str, value: float, *, zero: bool = False) -> None:
        benchmark = sheet.benchmark("ioping")
        sheet.figure(line.number, benchmark, metric, unit, value, dict(params), zero=zero)

    scan(
        data,
        "ioping",
        (
            row(
                r"[0-9.]{1,9} [KM]?i?B (?:<<<|>>>) ",
                r"([0-9.]{1,9}) (B|KiB|MiB) (<<<|>>>) .* time=.*",
                request,
            ),
            row(
                "--- .* ioping statistics",
                r"--- ([!-~]{1,200}) (?:\(.*\) )?ioping statistics ---",
                device,
            ),
            row(
                r"[0-9.]{1,9}(?: [kMG])? requests completed in ",
                r"[0-9.]{1,9}(?: [kMG])? requests completed in [0-9.]{1,9} [a-z]{1,5}, "
                rf"[0-9.]{{1,9}} [KMGT]?i?B (read|written), {_SCALED} iops, {_RATE}[ \t]*",
                completed,
            ),
            row(
                "min/avg/max/mdev = ",
                rf"min/avg/max/mdev = {_TIME} / {_TIME} / {_TIME} / {_TIME}[ \t]*",
                latencies,
            ),
            row("generated ", r"generated .* requests in .*", skip),
        ),
        sheet,
    )
    return sheet.reading()


def read_dd(data: bytes, context: Context) -> Reading:
    """The throughput of each copy, and how long it took."""
    sheet = Sheet(context)
    command = ""
    counted = False
    params: dict[str, Scalar] = {}

    def typed(line: Line, found: re.Match[str]) -> None:
        nonlocal command, counted
        command, counted = found[1], False
        params.clear()
        params.update(_dd_params(command))

    def records(line: Line, found: re.Match[str]) -> None:
        nonlocal counted
        if counted:  # those of the command before have lost their last line
            forget()
        counted = True

    def forget() -> None:
        nonlocal command, counted
        command, counted = "", False
        params.clear()

    def copied(line: Line, found: re.Match[str], busybox: bool) -> None:
        said: dict[str, Scalar] = {"file_size": int(found[1]), **params}
        unit = found[4].replace("B", "iB").replace("k", "K") if busybox else found[4]
        scale = (1024 if busybox else 1000) ** ("kMGT".find(found[4][0]) + 1)
        seconds, rate = float(figure(found[2]) or 0), float(found[3]) * scale
        if seconds and abs(int(found[1]) / seconds - rate) > 0.07 * rate:
            sheet.broken(line.number, "bytes, seconds and rate do not agree: the line is damaged")
            forget()
            return
        give(line, "throughput", f"{unit}/s", found[3], said)
        give(line, "elapsed", "s", found[2], said)
        forget()

    def give(line: Line, metric: str, unit: str, text: str, said: dict[str, Scalar]) -> None:
        value = figure(text)
        if value is not None:
            name = sheet.benchmark("dd")
            sheet.figure(line.number, name, metric, unit, value, said, command=command)

    scan(
        data,
        "dd",
        (
            row(
                r"(?!)",
                r"(?:[^#$>]{0,100}[#$>] )?(?:[!-~]{0,100}/)?"
                r"(dd (?:[a-z]{1,10}=[!-~]{1,200} ?){1,10})[ \t]*",
                typed,
            ),
            row("(?!)", r"[0-9]{1,15}\+[0-9]{1,9} records in[ \t]*", records),
            row(
                r"(?!)",
                r"([0-9]{1,18}) bytes \([^()]{1,40}\) copied, ([0-9.e-]{1,20}) s,"
                r" ([0-9]{1,6}(?:\.[0-9]{1,3})?) ([kMGT]?B)/s[ \t]*",
                lambda line, found: copied(line, found, False),
            ),
            row(
                r"[0-9]{1,18} bytes \(|[0-9]{1,18} bytes.{0,50} copied, ",
                r"([0-9]{1,18}) bytes (?:\([^()]{1,40}\) )?copied, ([0-9.]{1,20}) seconds,"
                r" ([0-9]{1,6}(?:\.[0-9]{1,3})?)([kMGT]?B)/s[ \t]*",
                lambda line, found: copied(line, found, True),
            ),
        ),
        sheet,
    )
    return sheet.reading()


def _dd_params(command: str) -> dict[str, Scalar]:
    """What a command says of how was copied: the block size, both ends and the flags."""
    options = dict(each[0].split("=", 1) for each in _OPTION.finditer(command))
    params: dict[str, Scalar] = {}
    if size := _SIZE.fullmatch(options.get("bs", "")):
        params["buffer_size"] = int(size[1]) * 1024 ** " kMG".index(
            size[2].replace("K", "k") or " "
        )
    names = {"if": "input", "of": "output", "conv": "conv", "iflag": "iflag", "oflag": "oflag"}
    return params | {name: options[key] for key, name in names.items() if key in options}


def read_cryptsetup(data: bytes, context: Context) -> Reading:
    """The rate of each cipher in both directions, and of each key derivation."""
    sheet = Sheet(context)

    def derived(line: Line, found: re.Match[str]) -> None:
        params: dict[str, Scalar] = {"hash": found[1], "key_size": int(found[3])}
        unit = "iterations/s"
        if found[2] == "N/A":
            why = f"cryptsetup: PBKDF2 with {found[1]} is not to be had"
            sheet.failure(line.number, "cryptsetup", "pbkdf2", unit, params, why)
        else:
            sheet.figure(line.number, "cryptsetup", "pbkdf2", unit, float(found[2]), params)

    def unavailable(line: Line, found: re.Match[str]) -> None:
        params: dict[str, Scalar] = {"hash": found[1]}
        why = f"cryptsetup: PBKDF2 with {found[1]} is not to be had"
        sheet.failure(line.number, "cryptsetup", "pbkdf2", "iterations/s", params, why)

    def cipher(line: Line, found: re.Match[str]) -> None:
        params: dict[str, Scalar] = {"cipher": found[1], "key_size": int(found[2])}
        for text, metric in ((found[3], "encryption"), (found[4], "decryption")):
            if text == "N/A":
                why = f"cryptsetup: {found[1]} with {found[2]} bits is not to be had"
                sheet.failure(line.number, "cryptsetup", metric, "MiB/s", params, why)
            else:
                value = float(text.removesuffix(" MiB/s"))
                sheet.figure(line.number, "cryptsetup", metric, "MiB/s", value, params)

    rate = r"([0-9]{1,9}\.[0-9] MiB/s|N/A)"
    scan(
        data,
        "cryptsetup benchmark",
        (
            row(
                r"PBKDF2-[a-z0-9-]{2,30} +[0-9]",
                rf"PBKDF2-({_HASHES}) +([0-9]{{1,12}}) iterations per second"
                r" for ([0-9]{2,4})-bit key[ \t]*",
                derived,
            ),
            row(r"PBKDF2-[a-z0-9-]{2,30} +N", r"PBKDF2-([a-z0-9-]{2,30}) +N/A[ \t]*", unavailable),
            row(
                r" *[a-z0-9_-]{3,40} +[0-9]{2,4}b +[0-9N]",
                rf" *({_CIPHERS}-(?:cbc|xts|ecb|ctr|lrw|essiv|plain)(?:-[a-z0-9]{{3,12}})?)"
                rf" +([0-9]{{2,4}})b +{rate} +{rate}[ \t]*",
                cipher,
            ),
            row(
                r"#? +Algorithm \| ", r"#? +Algorithm \| +Key \| +Encryption \| +Decryption.*", skip
            ),
        ),
        sheet,
    )
    return sheet.reading()


IOPING = Format(
    name="ioping",
    title="ioping 1.x",
    example="""\
--- /dev/mmcblk0 (block device 14.8 GiB) ioping statistics ---
9 requests completed in 4.07 ms, 36 KiB read, 2.21 k iops, 8.64 MiB/s
min/avg/max/mdev = 383.2 us / 452.3 us / 602.1 us / 60.2 us
""",
    recognises=holds(rb"^min/avg/max/mdev = [0-9.]+ [a-z]+ / "),
    read=read_ioping,
)
DD = Format(
    name="dd",
    title="dd of coreutils and BusyBox",
    example="""\
$ dd if=/dev/zero of=/run/media/mmcblk0p1/file bs=1M count=32 conv=fsync
33554432 bytes (34 MB, 32 MiB) copied, 1.85812 s, 18.1 MB/s
""",
    recognises=holds(rb"^[0-9]+ bytes (?:\([^()\n]+\) )?copied, [0-9.e-]+ s"),
    read=read_dd,
)
CRYPTSETUP = Format(
    name="cryptsetup",
    title="cryptsetup benchmark",
    example="""\
PBKDF2-sha256     524288 iterations per second for 256-bit key
#     Algorithm |       Key |      Encryption |      Decryption
        aes-cbc        128b       354.9 MiB/s       396.3 MiB/s
""",
    recognises=holds(
        rb"^PBKDF2-[a-z0-9-]+ +[0-9]+ iterations per second|^#? +Algorithm \| +Key \| +Encryption"
    ),
    read=read_cryptsetup,
)
