"""Which rows and columns of a large table stand on which page."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from perfguide.tables import blocks
from perfguide.tables.blocks import MIN_COLUMNS
from perfguide.tables.grids import Grid, picked


def grid(rows: int, columns: int, *, tabs: bool = False, boards: int = 1) -> Grid:
    """A table of figures with two rows of heads: boards, and what was measured on each."""
    figure = (1.5, "1.5", " n=2")
    body = tuple(
        (f"tab {number // 3}" if tabs else f"row {number}", f"key {number}", *[figure] * columns)
        for number in range(rows)
    )
    heads = [
        (f"board {number // boards}", f"metric {number % boards}") for number in range(columns)
    ]
    above, below = zip(*heads, strict=True) if heads else ((), ())
    header = (("Row", "Key", *above), ("", "", *below))
    return Grid(header, body, 2, tabs=tabs, links=[(0, 2, "page", "table", "")] if columns else [])


@given(
    st.integers(1, 30), st.integers(0, 30), st.booleans(), st.integers(1, 4), st.integers(1, 2_000)
)
def test_each_figure_is_in_one_block(
    rows: int, columns: int, tabs: bool, boards: int, room: int
) -> None:
    table = grid(rows, columns, tabs=tabs, boards=boards)
    divided = blocks.blocks(table, room, 2 * room, wide=True)
    places = Counter(
        (row, column)
        for block in divided
        for row in range(*block.rows)
        for column in range(*block.columns)
    )
    assert places == Counter((r, c) for r in range(rows) for c in range(columns))
    assert (len(divided) > 1) == (
        blocks.weight(table) > room and (rows > 1 or columns > MIN_COLUMNS)
    )
    named = [block.words for block in divided]
    assert len(set(named)) == len(named)


@given(st.integers(1, 200), st.booleans(), st.integers(60, 2_000))
def test_a_block_is_as_light_as_it_has_to_be(rows: int, tabs: bool, room: int) -> None:
    table = grid(rows, 3, tabs=tabs)
    for number, block in enumerate(blocks.blocks(table, room, 2 * room, wide=False)):
        own = picked(table, range(*block.rows), range(len(table.header[0])))
        # Each block has a head, and begins its tab anew.
        assert blocks.weight(own) <= room * (1 + (number > 0)) + 30
        assert len(own.links) == (number == 0)


def test_the_columns_of_a_board_stay_together_and_name_their_block() -> None:
    divided = blocks.blocks(grid(4, 40, boards=2), 100, 200, wide=True)
    assert [(block.columns, block.words) for block in divided[:2]] == [
        ((0, 4), "board 0 to board 1"),
        ((4, 16), "board 2 to board 7"),
    ]
    assert divided[-1].columns[1] == 40


def test_a_list_is_divided_by_rows_alone() -> None:
    divided = blocks.blocks(grid(100, 40), 1_000, 4_000, wide=False)
    assert {block.columns for block in divided} == {(0, 40)}
    assert [block.words for block in divided[:2]] == ["rows 1 to 7", "rows 8 to 39"]


@given(st.lists(st.integers(0, 500), max_size=20), st.integers(1, 3_000))
def test_light_tables_leave_their_room_to_heavy_ones(weights: list[int], room: int) -> None:
    most = blocks.share(weights, room)
    shown = sum(min(each, most) for each in weights)
    assert shown <= room
    assert shown == sum(weights) or room - shown < len(weights)
