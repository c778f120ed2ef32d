"""The keys of a file ``NAME.format.toml``, which describes the logs of a program.

The comments below the fields become the reference of the keys on the page of formats.
"""

from __future__ import annotations

import msgspec

from . import Scalar


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure of a line, if its unit alone does not describe it."""

    unit: str
    """The unit; ``{NAME}`` in it is a value of the line or of the block."""
    metric: str = ""
    """The metric, also with ``{NAME}``. Without this key, the name of the value is the metric."""
    params: dict[str, Scalar] = {}
    """Parameters of this figure, also with ``{NAME}``."""
    zero: bool = False
    """If true, this figure can be zero."""
    power: int = 0
    """The power of ten by which the printed number is multiplied: ``-3`` makes thousandths."""
    failures: dict[str, str] = {}
    """Texts that the program prints instead of the number if the measurement failed, each with the
    message of the failed result."""


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of one kind."""

    match: str | list[str]
    """The pattern of the lines, or several patterns with the same values. ``{name:kind}`` is a
    value, ``{:kind}`` is a value that is not used, and ``{? … ?}`` is a part that some lines
    lack."""
    figures: dict[str, str | Figure] = {}
    """The values that are figures, each with its unit or with the keys of a figure."""
    params: dict[str, Scalar] = {}
    """Parameters of all figures of these lines."""
    options: list[str] = []
    """Words that may be anywhere in the line, written as in ``match``: ``-t {threads:int}`` in a
    command. The value ``_command`` becomes the command of the figures."""
    zero: bool = False
    """If true, the figures of these lines can be zero."""
    begins: bool = False
    """If true, a block, for instance the output of one run, begins with this line. The values of
    a block are forgotten at its end."""
    continues: bool = False
    """If true, this line joins the current block instead of beginning a new one, such as the table
    below the heading of a run. It does so only if the block has none of its required lines yet,
    and if no line of this kind has joined the block before."""
    within: bool = False
    """If true, these lines count only within a block. Outside, they belong to other programs."""
    ends: bool = False
    """If true, the block ends with this line."""
    required: str = ""
    """The message for a block that has no line of this kind. A second such line in a block is
    refused. Kinds of lines with the same message count as one kind."""
    keeps: bool = False
    """If true, the other values of a line with figures are parameters of later lines, too."""
    needs: list[str] = []
    """Values of earlier lines without which a figure has no meaning."""
    unstated: str = ""
    """The message if a value in ``needs`` is missing, or if a block has a required line twice."""
    when: dict[str, Scalar] = {}
    """The figures count only if each of these values is as written here; ``""`` means a
    missing value."""
    bare_ends: bool = False
    """If true, no figure is read from a line of this kind at the end of the log if its line feed is
    missing. The same key of a format applies to all of its lines."""
    mean: bool = False
    """If true, the figures of these lines are means of earlier figures. They count only if the log
    lacks those earlier figures."""
    agree: str = ""
    """An equation that holds within the digits printed, such as ``size / time = rate``: values and
    numbers with ``*``, ``/`` and ``//``, which drops the remainder. Figures count in the base unit
    of their kind, such as B/s. The equation is checked only if all of its values are known."""
    disagree: str = ""
    """The message if the equation in ``agree`` does not hold."""
    confirms: bool = False
    """If true, this line confirms the figures of its block; see ``unconfirmed``."""
    rejects: str = ""
    """The message of failed results: this line turns all figures of its block into failures."""
    damaged: str | bool = True
    """The beginning of damaged lines of this kind, written as in ``match``: a line with this
    beginning is damaged if it matches no pattern. Without this key, the text of ``match`` before
    its first value is the beginning. In both cases, a line that ends within that text of ``match``
    is damaged, too. With ``false``, no line of this kind is damaged. Figures below a damaged line
    do not count until the values of that line are stated again."""
    damage: str = ""
    """The message for damaged lines of this kind. Without this key, ``damage`` of the format is the
    message."""
    refuse: str = ""
    """The message with which these lines are refused: their figures are not read."""
    note: str = ""
    """A remark on how to read the figures. It is shown once for a log."""
    fail: str = ""
    """The message of the failure that the program reports in this line; ``{line}`` in it is the
    text of the line. ``figures`` then lists the figures that were not measured."""
    hint: str = ""
    """Advice that is added to the messages about these lines."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table whose header is a line of the log."""

    columns: dict[str, str] = {}
    """Columns that hold figures: the text of each in the header, with the unit."""
    params: dict[str, str] = {}
    """Columns that hold parameters: the text of each in the header, with the name of the
    parameter."""
    separator: str = ","
    """The character between two cells. A blank means any number of blanks."""
    names: dict[str, str] = {}
    """Metrics of columns: the text in the header, with the metric. Other columns are named after
    their text."""
    units_in_heads: bool = False
    """If true, every column with a unit in the header, such as ``read (MB/s)`` or ``read [MB/s]``,
    holds figures. The metric is the text before the unit."""


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A format of logs."""

    name: str
    """The format, as ``--as`` takes it."""
    benchmark: str
    """The benchmark of all figures."""
    example: str
    """Some lines of a log, from which figures can be read."""
    title: str = ""
    """The program that prints these logs, in one line."""
    recognise: list[str] = []
    """Regular expressions; a log has this format if all of them match somewhere in it. ``^`` and
    ``$`` match at the ends of each line. Without this key, a log has this format if figures can be
    read from it."""
    fixed_benchmark: bool = False
    """If true, ``--param benchmark=…`` cannot name another benchmark for the figures."""
    unless_named: list[str] = []
    """Parameters that are left out if ``--param benchmark=…`` names the benchmark."""
    setup: list[str] = []
    """Values that are not parameters but facts about the setup of the figures, such as the
    renderer."""
    bare_ends: bool = False
    """If true, no figure is read from the last line of a log if its line feed is missing. This is
    for programs whose lines, if truncated, would still match."""
    damage: str = ""
    """The message for damaged lines of all kinds."""
    unconfirmed: str = ""
    """The message for a block without a line that confirms its figures; see ``confirms``. If this
    key is present, the figures of a block count only if one of its lines confirms them."""
    kinds: dict[str, str] = {}
    """Additional kinds of values in patterns, each with its regular expression."""
    values: dict[str, dict[str, Scalar]] = {}
    """Replacements by the name of a value: texts in the log, each with the value that it means."""
    lines: list[Lines] = []
    """The kinds of lines. A line belongs to the first kind whose pattern it matches."""
    csv: Table | None = None
    """The columns of a table in the log."""
