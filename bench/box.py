"""An emulated board: short runs of the runner's procedures on an emulated Arm system.

    python bench/box.py [FOLDER] [--board BOARD] [--add FOLDER] [--minutes N] [--again] [-- OPTION OF run.sh…]

QEMU emulates a board with two Cortex-A53 cores and virtio-crypto as its accelerator. Kernel and
programs are Debian packages for arm64, fetched by apt into ``build/box`` and unpacked there; this
machine's own packages are left alone. The root file system is read-only. The logs are written to
FOLDER, or ``build/box/logs``, with ``box.txt``, which lists versions and times.

``--board armhf`` emulates two Cortex-A15 cores instead: Debian's kernel for them has a simulated
NAND flash, which the kernel for arm64 lacks. It holds a UBIFS, mounted on ``/run/ubifs``.

``--board arm64-rt`` uses Debian's real-time kernel, with the tracers that rtla reads, from Debian
13, the first release with rtla. ``--add FOLDER`` puts models and programs that Debian lacks into
the board's ``/run/box/add``, whose ``bin`` is on the search path.

Every command is emulated, so the figures show that a procedure works, not how fast a board is.
``--sdk emulated`` and a description in each bundle say so.
"""

from __future__ import annotations

import argparse
import dataclasses
import io
import lzma
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
WORK = TOP / "build/box"
NOTE = "Emulated by QEMU without hardware virtualisation: not the speed of a board."
PACKAGES = (
    *("busybox-static", "dash", "kmod", "util-linux", "procps", "coreutils"),
    *("grep", "sed", "mawk", "tar", "hostname", "mount", "e2fsprogs", "base-files"),
    *("openssl", "cryptsetup-bin", "hdparm", "time", "iproute2", "iperf3", "fio", "rt-tests"),
    *("alsa-utils", "libc-bin", "netperf", "lmbench"),
)
"""The packages to fetch, together with their dependencies."""
BOOT_MODULES = ("virtio_pci", "virtio_blk", "crc32c_generic", "ext4")
"""Modules that the kernel needs to find its root file system."""
MODULES = (
    *("virtio_crypto", "virtio_rng", "brd", "loop", "dm-crypt", "veth", "xfrm_user", "esp4"),
    *("algif_skcipher", "algif_hash", "authenc", "echainiv", "seqiv", "gcm", "ctr", "des_generic"),
    *("xts", "ecb", "snd-aloop"),
)
"""Modules loaded in the box. Drivers for the CPU's AES instructions are left out, because the
kernel would prefer them to the accelerator."""
LEFT_OUT = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info")


@dataclass(frozen=True, slots=True)
class Board:
    """An emulated board: Debian's name of the architecture, and QEMU's names of program, machine
    and CPU."""

    name: str
    arch: str
    kernel: str
    emulator: str
    machine: str
    cpu: str
    soc: str
    packages: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    storage: tuple[str, ...] = ("fio=/run/box",)
    release: str = ""
    """The Debian release, if not this machine's."""
    short: str = (
        "Short runs: a second for each of OpenSSL's and fio's block sizes, two for each run over "
        "the network and each sampling rate, 0.1 s for each of LMBench's, 1000 loops of cyclictest."
    )
    """The note that runs are short."""
    options: tuple[str, ...] = ()
    """Further options of the runner."""

    @property
    def work(self) -> Path:
        """The folder in which it is built."""
        return WORK if self.name == "arm64" else WORK / self.name


ARM64 = Board(
    "arm64", "arm64", "linux-image-arm64", "qemu-system-aarch64", "virt", "cortex-a53", "QEMU-ARM64"
)  # fmt: skip
BOARDS = {
    board.name: board
    for board in (
        ARM64,
        dataclasses.replace(
            ARM64, name="arm64-rt", kernel="linux-image-rt-arm64", soc="QEMU-ARM64-RT",
            packages=("rtla",), release="trixie",
            short="Short runs: 10 s of oslat, timerlat and osnoise, 10,000 loops of cyclictest, 3 s for each model.",
            options=(
                *("--os", "rt-linux", "--threads", "1,2", "--loops", "10000"),
                *("--models", "/run/box/add/models", "--inference-seconds", "3"),
                *("--latency-seconds", "10", "--only", "cyclictest,inference,latency"),
            ),
        ),
        Board(
            "armhf", "armhf", "linux-image-armmp", "qemu-system-arm", "virt,highmem=off",
            "cortex-a15", "QEMU-ARM", ("mtd-utils",),
            ("zstd", "deflate", "nandsim", "ubi", "ubifs"),
            ("fio=/run/box", "nand=/run/ubifs"),
        ),
    )
}  # fmt: skip
NANDSIM = (
    "options nandsim first_id_byte=0x20 second_id_byte=0xaa third_id_byte=0 fourth_id_byte=0x15\n"
)
"""256 MiB with pages of 2048 bytes."""
NEEDED = {"depmod": "kmod", "mke2fs": "e2fsprogs", "dpkg-deb": "dpkg"}
"""Programs needed on this machine, with their packages; QEMU's are added."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file of an initramfs: its name, mode and content."""

    name: str
    mode: int
    data: bytes = b""


def initramfs(entries: Iterable[Entry]) -> bytes:
    """Return a cpio archive in the "newc" format, which the kernel unpacks."""
    out = bytearray()
    # An entry of this name ends the archive.
    for number, entry in enumerate((*entries, Entry("TRAILER!!!", 0)), 1):
        name = entry.name.encode() + b"\0"
        # Inode, mode, owner, group, links, time, size, device (4), length of the name, checksum.
        fields = (number, entry.mode, 0, 0, 1, 0, len(entry.data), 0, 0, 0, 0, len(name), 0)
        out += b"070701" + b"".join(b"%08x" % field for field in fields) + name
        # Contents and headers are aligned to four bytes.
        out += bytes(-len(out) % 4) + entry.data
        out += bytes(-len(out) % 4)
    return bytes(out)


def dependencies(text: str) -> dict[str, tuple[str, ...]]:
    """Return the paths in ``modules.dep``, each with its dependencies."""
    pairs = (line.partition(":") for line in text.splitlines() if ":" in line)
    return {path.strip(): tuple(needs.split()) for path, _, needs in pairs}


def _module(path: str) -> str:
    """Return the name of a module, whose file may be compressed."""
    return Path(path).name.split(".")[0].replace("-", "_")


def loading_order(names: Iterable[str], needs: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the paths of modules and their dependencies in loading order.

    Raises :class:`KeyError` with the name of a module that does not exist.
    """
    paths = {_module(path): path for path in needs}
    order: dict[str, None] = {}

    def add(path: str) -> None:
        for each in needs[path]:
            add(each)
        order.setdefault(path)

    for name in names:
        add(paths[name.replace("-", "_")])
    return list(order)


def apt_options(folder: Path, arch: str) -> list[str]:
    """Return options that give apt its own lists, cache and state."""
    options = {
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/nonexistent",
        "Dir::State": folder,
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": folder / "status",
        "Dir::Cache": folder / "cache",
        "APT::Architecture": arch,
        "APT::Architectures": arch,
        "APT::Install-Recommends": "false",
    }
    return [word for name, value in options.items() for word in ("-o", f"{name}={value}")]


def sources(release: str) -> str:
    """Return the Debian repositories of a release, or of this machine's. They include ``non-free``,
    which has netperf and LMBench."""
    name = release or platform.freedesktop_os_release()["VERSION_CODENAME"]
    key = "/usr/share/keyrings/debian-archive-keyring.gpg"
    return f"deb [signed-by={key}] http://deb.debian.org/debian {name} main non-free\n"


def command(board: Board) -> list[str]:
    """Return QEMU's command line with the disks built for the board."""
    folder = board.work
    disks = (("root.ext4", "on"), ("in.tar", "on"), ("out.tar", "off"))
    return [
        *(board.emulator, "-machine", board.machine, "-cpu", board.cpu, "-smp", "2", "-m", "1024"),
        *("-accel", "tcg,thread=multi", "-nographic", "-no-reboot", "-nic", "none"),
        *("-kernel", str(folder / "vmlinuz"), "-initrd", str(folder / "initramfs")),
        # Make a panic end QEMU, which would otherwise run until the timeout.
        *("-append", "console=ttyAMA0 panic=-1 quiet"),
        *("-object", "cryptodev-backend-builtin,id=crypto0"),
        *("-device", "virtio-crypto-pci,cryptodev=crypto0", "-device", "virtio-rng-pci"),
        *(
            word
            for name, fixed in disks
            for word in (
                "-drive",
                # Nothing on these disks has to survive a crash of this machine.
                f"if=virtio,format=raw,file={folder / name},readonly={fixed},cache=unsafe",
            )
        ),
    ]


def _run(*words: str | Path, cwd: Path | None = None) -> None:
    subprocess.run([*map(str, words)], check=True, cwd=cwd, stdout=subprocess.DEVNULL)


def fetch(board: Board) -> list[Path]:
    """Fetch the board's Debian packages that are not there yet; return the paths of all."""
    folder = board.work / "apt"
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # As nothing counts as installed, apt fetches every dependency.
    (folder / "status").touch()
    (folder / "sources.list").write_text(sources(board.release))
    options = apt_options(folder, board.arch)
    if not any((folder / "lists").glob("*Packages*")):
        _run("apt-get", *options, "-qq", "update")
    _run(
        "apt-get",
        *options,
        "-qq",
        "-y",
        "--download-only",
        "install",
        board.kernel,
        *PACKAGES,
        *board.packages,
    )
    return sorted((folder / "cache/archives").glob("*.deb"))


def unpack(packages: list[Path], root: Path) -> None:
    """Unpack packages into a root file system with a single folder for all programs."""
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "sbin", "lib"):
        (root / "usr" / name).mkdir(parents=True)
        (root / name).symlink_to(f"usr/{name}")
    left_out = [f"--exclude=./{name}" for name in LEFT_OUT]
    for package in packages:
        # dpkg-deb -x would replace links with folders.
        with subprocess.Popen(
            ["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE
        ) as unpacker:
            subprocess.run(
                ["tar", "-x", "--keep-directory-symlink", "-C", root, *left_out],
                stdin=unpacker.stdout, check=True,
            )  # fmt: skip
        if unpacker.returncode:
            raise subprocess.CalledProcessError(unpacker.returncode, unpacker.args)
    for name in ("proc", "sys", "dev", "tmp", "run", "etc", "root"):
        (root / name).mkdir(exist_ok=True)
    (root / "etc/hosts").write_text("127.0.0.1 localhost box\n")
    awk = root / "usr/bin/awk"
    if not awk.exists() and not awk.is_symlink():
        awk.symlink_to("mawk")  # what the package's own script would do
    if not (root / "usr/bin/sh").is_symlink():
        (root / "usr/bin/sh").symlink_to("dash")


def _plain(path: Path) -> bytes:
    """Return a module as BusyBox can load it: uncompressed."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def build(board: Board) -> None:
    """Build kernel, initramfs and root file system, and a file with the kernel's version."""
    work, modules_wanted = board.work, (*MODULES, *board.modules)
    packages = fetch(board)
    root = work / "root"
    unpack(packages, root)
    (version,) = (path.name for path in (root / "usr/lib/modules").iterdir())
    shutil.move(root / f"boot/vmlinuz-{version}", work / "vmlinuz")
    modules = root / "usr/lib/modules" / version
    _run("depmod", "-b", root, version)
    needs = dependencies((modules / "modules.dep").read_text())
    names = {_module(path) for path in needs}
    built_in = {_module(path) for path in (modules / "modules.builtin").read_text().split()}
    boot = loading_order([name for name in BOOT_MODULES if name not in built_in], needs)
    wanted = [name for name in modules_wanted if name.replace("-", "_") in names]
    for name in sorted({each.replace("-", "_") for each in modules_wanted} - names - built_in):
        print(f"box: Debian's kernel {version} has no module {name}", file=sys.stderr)
    kept = {*boot, *loading_order(wanted, needs)}
    for path in needs:
        # The kernel loads generic modules of kernel/crypto on demand.
        if path not in kept and not path.startswith("kernel/crypto/"):
            (modules / path).unlink()
    _run("depmod", "-b", root, version)
    (root / "etc/modules").write_text("".join(f"{name}\n" for name in wanted))
    (root / "etc/modprobe.d").mkdir(exist_ok=True)
    (root / "etc/modprobe.d/box.conf").write_text(NANDSIM)
    # The script is on the second disk, so that changing it does not require a new root file system.
    init = root / "usr/sbin/init"
    init.write_text(
        "#!/bin/sh\nmount -t devtmpfs dev /dev\ntar -xOf /dev/vdb init.sh >/dev/init.sh\nexec sh /dev/init.sh\n"
    )
    init.chmod(0o755)
    load = "".join(f"insmod /{_module(path)}.ko\n" for path in boot)
    start = f"#!/busybox sh\n/busybox mkdir -p /root\n{load.replace('insmod', '/busybox insmod')}"
    start += "/busybox mknod /vda b 254 0 2>/dev/null\n/busybox mount -t devtmpfs dev /dev\n"
    start += (
        "/busybox mount -o ro -t ext4 /dev/vda /root\nexec /busybox switch_root /root /sbin/init\n"
    )
    entries = [
        Entry("dev", 0o040755),
        Entry("root", 0o040755),
        Entry("busybox", 0o100755, (root / "usr/bin/busybox").read_bytes()),
        Entry("init", 0o100755, start.encode()),
        *(Entry(f"{_module(path)}.ko", 0o100644, _plain(modules / path)) for path in boot),
    ]
    (work / "initramfs").write_bytes(initramfs(entries))
    (work / "root.ext4").unlink(missing_ok=True)
    size = sum(path.lstat().st_size for path in root.rglob("*")) // 2**20
    # Add a quarter for the file system's own needs.
    _run("mke2fs", "-q", "-t", "ext4", "-d", root, work / "root.ext4", f"{size * 5 // 4 + 64}M")
    shutil.rmtree(root)
    (work / "kernel").write_text(version)


def job(options: list[str], added: Path | None = None) -> bytes:
    """Return the content of the second disk: the runner, added files, and the command to run."""
    quoted = " ".join("'" + option.replace("'", "'\\''") + "'" for option in options)
    text = f"exec sh ./runner/run.sh -o /run/box/out {quoted}\n".encode()
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.add(TOP / "bench/box_init.sh", "init.sh")
        archive.add(TOP / "runner", "runner")
        if added:
            archive.add(added, "add")
        member = tarfile.TarInfo("job.sh")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return stream.getvalue()


def run(
    board: Board, output: Path, options: list[str], minutes: int, added: Path | None = None
) -> None:
    """Boot the box, let it run, and copy the files it wrote."""
    work = board.work
    (work / "in.tar").write_bytes(job(options, added))
    with (work / "out.tar").open("wb") as disk:
        disk.truncate(64 * 2**20)
    with (work / "serial.txt").open("wb") as serial:
        subprocess.run(
            command(board), stdin=subprocess.DEVNULL, stdout=serial, stderr=serial,
            timeout=minutes * 60, check=True,
        )  # fmt: skip
    output.mkdir(parents=True, exist_ok=True)
    with tarfile.open(work / "out.tar") as archive:
        for member in archive:
            # The runner's own state is useless elsewhere.
            name = member.name.removeprefix("out/")
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None and "/" not in name:
                (output / name).write_bytes(file.read())


DEFAULT = (
    *("--board", "qemu-virt", "--sdk", "emulated", "--description", NOTE),
    *("--note", NOTE),
    *("--seconds", "1", "--threads", "1,8", "--nice", "-20,10", "--algorithms", "aes-128-cbc"),
    *("--block-sizes", "16384", "--loops", "1000", "--sample-seconds", "1"),
    *("--peer", "netns", "--net-seconds", "2", "--loss-frames", "64,1518", "--loss-steps", "5"),
    *("--ipsec-sizes", "64,512,1456", "--ipsec-algorithms", "none,aes128-sha256,aes128gcm16"),
    *("--fio-mib", "16", "--fio-seconds", "1", "--fio-buffered"),
    *("--alsa-rates", "8000,44100,48000,96000", "--alsa-seconds", "2"),
)
"""Options for short runs of every procedure. Later options override earlier ones."""


def options_for(board: Board) -> list[str]:
    """Return the runner's options to use unless others are given."""
    return [
        *DEFAULT,
        "--note",
        board.short,
        "--soc",
        board.soc,
        "--fio-write",
        ",".join(board.storage),
        *board.options,
    ]


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Run the runner on an emulated board; options of run.sh follow --."
    )
    parser.add_argument("output", type=Path, nargs="?", help="logs [the folder logs of the board]")
    parser.add_argument("--board", choices=sorted(BOARDS), default="arm64", help="[arm64]")
    parser.add_argument("--add", type=Path, help="a folder to put into /run/box/add")
    parser.add_argument("--minutes", type=int, default=60, help="before it is stopped [60]")
    parser.add_argument("--again", action="store_true", help="build the box again")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    arguments, options = parser.parse_args(words[:at]), words[at + 1 :]
    board = BOARDS[arguments.board]
    needed = {**NEEDED, board.emulator: "qemu-system-arm"}
    missing = [package for name, package in needed.items() if shutil.which(name) is None]
    if missing:
        print(f"box: install {' '.join(missing)} first", file=sys.stderr)
        return 2
    board.work.mkdir(parents=True, exist_ok=True)
    output: Path = arguments.output or board.work / "logs"
    began = time.monotonic()
    if arguments.again or not (board.work / "kernel").exists():
        build(board)
    built_at = time.monotonic()
    try:
        run(board, output, [*options_for(board), *options], arguments.minutes, arguments.add)
        if not (output / "summary.txt").exists():
            raise tarfile.ReadError("it ended before the runner did")
    except (subprocess.SubprocessError, tarfile.TarError) as error:
        print(f"box: {error}; its console is in {board.work}/serial.txt", file=sys.stderr)
        return 1
    version = subprocess.run(
        [board.emulator, "--version"], capture_output=True, text=True, check=True
    )
    (output / "box.txt").write_text(
        f"{NOTE}\n{version.stdout.splitlines()[0]}\nkernel {(board.work / 'kernel').read_text()}, "
        f"{board.cpu}, {os.cpu_count()} CPUs of the host\nmade in {built_at - began:.0f} s, "
        f"ran for {time.monotonic() - built_at:.0f} s\n"
    )
    sys.stdout.write((output / "box.txt").read_text())
    sys.stdout.write((output / "summary.txt").read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
