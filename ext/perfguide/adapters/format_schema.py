"""The keys of a file ``NAME.format.toml``, which describes how the logs of a program look.

The comments below the fields become the reference of the keys on the page of formats.
"""

from __future__ import annotations

import msgspec

from . import Scalar


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One figure of a line, where its unit alone does not describe it."""

    unit: str
    """The unit; ``{NAME}`` in it is a value of the line or of the block."""
    metric: str = ""
    """The metric, also with ``{NAME}``; without this key it is the name of the value."""
    params: dict[str, Scalar] = {}
    """Parameters of this figure, also with ``{NAME}``."""
    zero: bool = False
    """If true, this figure can be zero."""
    power: int = 0
    """The power of ten by which the printed number is multiplied: ``-3`` makes thousandths."""
    failures: dict[str, str] = {}
    """Texts in place of a number that report a failed measurement, each with its message."""


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines of one kind."""

    match: str | list[str]
    """The look of the lines, or several looks of the same values. ``{name:kind}`` is a value,
    ``{:kind}`` one that is not used, and ``{? … ?}`` a part that some lines lack."""
    figures: dict[str, str | Figure] = {}
    """The values that are figures, each with its unit or with the keys of a figure."""
    params: dict[str, Scalar] = {}
    """Parameters of all of their figures."""
    options: list[str] = []
    """Words that may be anywhere in the line, written as in ``match``: ``-t {threads:int}`` in a
    command. The value ``_command`` becomes the command of the figures."""
    zero: bool = False
    """If true, their figures can be zero."""
    begins: bool = False
    """If true, a block, for instance the output of one run, begins with this line. Values of a
    block are forgotten with its end."""
    continues: bool = False
    """If true, a line that begins a block goes on with one that has begun and lacks all of its
    required lines and this one, such as the table below the head of a run."""
    within: bool = False
    """If true, these lines count within a block only. Elsewhere they belong to other programs."""
    ends: bool = False
    """If true, the block ends with this line."""
    required: str = ""
    """The message for a block that has no line of this kind. A second such line in a block is
    refused. Kinds with the same message count as one."""
    keeps: bool = False
    """If true, the values of lines with figures are parameters of later lines, too."""
    needs: list[str] = []
    """Values of earlier lines without which a figure has no meaning."""
    unstated: str = ""
    """The message where one of them is missing, or a required line comes twice."""
    when: dict[str, Scalar] = {}
    """The figures count only where these values are as given; ``""`` is a missing one."""
    bare_ends: bool = False
    """If true, no figure is read from a last line of this kind without a line feed, as for a
    format."""
    mean: bool = False
    """If true, the figures are means of earlier ones, and count only where there were none."""
    agree: str = ""
    """An equation that holds within the digits printed, such as ``size / time = rate``: values and
    numbers with ``*``, ``/`` and ``//``, which drops the remainder. Figures count in the base unit
    of their kind, such as B/s. It is checked where all of these values are known."""
    disagree: str = ""
    """The message where it does not hold."""
    confirms: bool = False
    """If true, this line confirms the figures of its block; see ``unconfirmed``."""
    rejects: str = ""
    """The message with which this line makes the figures of its block failures."""
    damaged: str | bool = True
    """The beginning of damaged lines of this kind, written as in ``match``. Without this key, lines
    that begin with the text before its first value are damaged where they go on otherwise; with
    ``false``, none is. In both other cases, so are lines that end within that text. Figures below a
    damaged line do not count until its values are stated again."""
    damage: str = ""
    """The message for damaged lines of this kind, if it is not that of the format."""
    refuse: str = ""
    """The message with which these lines are refused."""
    note: str = ""
    """A remark on how to take the figures; it is given once for a log."""
    fail: str = ""
    """The message for what the program reports as failed in this line, with ``{line}`` as its
    text. ``figures`` are then those that were not measured."""
    hint: str = ""
    """Advice that is added to the message of these lines."""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table with a head, which is a line of the log."""

    columns: dict[str, str] = {}
    """Columns that hold figures, each with its unit, by the text of the head."""
    params: dict[str, str] = {}
    """Columns that hold parameters, each with the parameter's name."""
    separator: str = ","
    """The character between two cells. A blank means any blanks."""
    names: dict[str, str] = {}
    """The metrics of columns whose text would make a poor name."""
    units_in_heads: bool = False
    """If true, all columns with a unit in their head, as in ``read (MB/s)`` or ``read [MB/s]``,
    hold figures. The metric is the text before the unit."""


class Description(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A format of logs."""

    name: str
    """The format, as ``--as`` takes it."""
    benchmark: str
    """The benchmark of all figures."""
    example: str
    """Some lines of a log, from which figures can be read."""
    title: str = ""
    """The program that prints it, in a line."""
    recognise: list[str] = []
    """Regular expressions that are all found in logs of this format; ``^`` and ``$`` are the ends
    of a line. Without them a log is recognised by its figures."""
    fixed_benchmark: bool = False
    """If true, ``--param benchmark=…`` cannot name another benchmark for the figures."""
    unless_named: list[str] = []
    """Parameters that are left out where ``--param benchmark=…`` names the benchmark."""
    setup: list[str] = []
    """Values that are not parameters but facts of the setup of the same figures, such as the
    renderer."""
    bare_ends: bool = False
    """If true, nothing shows that the end of a line is missing, so no figure is read from a last
    line without a line feed."""
    damage: str = ""
    """The message for damaged lines."""
    unconfirmed: str = ""
    """The message for a block without a line that confirms its figures. With this key they count
    only behind one."""
    kinds: dict[str, str] = {}
    """Kinds of values of this format, each with a regular expression."""
    values: dict[str, dict[str, Scalar]] = {}
    """Texts that a value has in the log, each with the value that it means."""
    lines: list[Lines] = []
    """The lines of a log. A line is of the first kind that it looks like."""
    csv: Table | None = None
    """The columns of a table."""
