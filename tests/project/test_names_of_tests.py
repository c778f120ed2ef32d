"""No two files of the tests have one name: pytest would collect only the first of them."""

from collections import Counter

from conftest import TOP


def test_no_two_files_share_a_name() -> None:
    # Both folders are on the path, and no folder of the tests is a package.
    files = [path.name for top in ("tests", "bench") for path in (TOP / top).rglob("*.py")]
    assert "test_names_of_tests.py" in files and len(files) > 100
    assert [name for name, often in Counter(files).items() if often > 1] == []
