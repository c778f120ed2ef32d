"""The parts of the board in a box that need no emulation: archives, modules, command lines."""

from __future__ import annotations

import io
import itertools
import subprocess
import tarfile
from pathlib import Path

import box
import pytest
from debian import program

MODULES = """\
kernel/fs/ext4/ext4.ko: kernel/lib/crc16.ko kernel/fs/jbd2/jbd2.ko kernel/fs/mbcache.ko
kernel/fs/jbd2/jbd2.ko: kernel/lib/crc16.ko
kernel/fs/mbcache.ko:
kernel/lib/crc16.ko:
kernel/drivers/md/dm-crypt.ko: kernel/drivers/md/dm-mod.ko
kernel/drivers/md/dm-mod.ko:
"""


def test_busybox_reads_the_initramfs(tmp_path: Path) -> None:
    entries = [
        box.Entry("dev", 0o040755),
        box.Entry("init", 0o100755, b"#!/busybox sh\nexit 3\n"),
        box.Entry("odd name", 0o100644, b"x" * 4097),
    ]
    busybox = program("busybox", "busybox-static")
    subprocess.run(
        [busybox, "cpio", "-i"], input=box.initramfs(entries), cwd=tmp_path, check=True,
        capture_output=True,
    )  # fmt: skip
    assert {path.name for path in tmp_path.iterdir()} == {"dev", "init", "odd name"}
    assert (tmp_path / "dev").is_dir()
    assert (tmp_path / "odd name").read_bytes() == b"x" * 4097
    assert (tmp_path / "init").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "init").read_bytes() == entries[1].data


def test_a_module_comes_after_those_that_it_needs() -> None:
    needs = box.dependencies(MODULES)
    order = [Path(path).stem for path in box.loading_order(("ext4", "dm_crypt"), needs)]
    assert sorted(order) == ["crc16", "dm-crypt", "dm-mod", "ext4", "jbd2", "mbcache"]
    for path, needed in needs.items():
        for each in needed:
            assert order.index(Path(each).stem) < order.index(Path(path).stem)
    with pytest.raises(KeyError, match="nandsim"):
        box.loading_order(("nandsim",), needs)


@pytest.mark.parametrize("arch", sorted({board.arch for board in box.BOARDS.values()}))
def test_apt_leaves_the_packages_of_this_machine_alone(arch: str, tmp_path: Path) -> None:
    options = box.apt_options(tmp_path, arch)
    said = subprocess.run(
        ["apt-config", *options, "dump"], capture_output=True, text=True, check=True
    ).stdout
    assert f'Dir::State "{tmp_path}";' in said
    assert f'Dir::State::status "{tmp_path}/status";' in said
    assert f'APT::Architecture "{arch}";' in said


def test_the_job_runs_the_runner_with_the_options_as_they_are() -> None:
    with tarfile.open(fileobj=io.BytesIO(box.job(["--description", "it's a box"]))) as archive:
        names = archive.getnames()
        job = archive.extractfile("job.sh")
        assert job is not None
        text = job.read().decode()
    assert {"init.sh", "runner/run.sh", "runner/bench/ipsec.sh", "job.sh"} <= {*names}
    words = subprocess.run(
        ["sh", "-c", text.replace("exec sh", "printf '%s\\n'")], capture_output=True, text=True, check=True
    ).stdout.splitlines()  # fmt: skip
    assert words[-2:] == ["--description", "it's a box"]


@pytest.mark.parametrize("name", sorted(box.BOARDS))
def test_the_root_file_system_is_read_only_and_figures_say_that_they_are_emulated(
    name: str,
) -> None:
    board = box.BOARDS[name]
    words = box.command(board)
    assert words[0] == board.emulator
    drives = [word for word in words if word.startswith("if=virtio")]
    assert ["readonly=on" in drive for drive in drives] == [True, True, False]
    assert f"{board.work}/root.ext4" in drives[0]
    given = box.options_for(board)
    pairs = [*itertools.pairwise(given)]
    options = dict(pairs)
    assert options["--sdk"] == "emulated"
    assert options["--soc"] == board.soc
    assert "not the speed of a board" in options["--description"]
    assert [value for name, value in pairs if name == "--note"] == [box.NOTE, board.short]
    assert ("nand=/run/ubifs" in options["--fio-write"]) == ("ubifs" in board.modules)


def test_each_board_is_made_in_a_folder_of_its_own() -> None:
    works = [board.work for board in box.BOARDS.values()]
    assert len({*works}) == len(works)
    assert len({board.soc for board in box.BOARDS.values()}) == len(works)
