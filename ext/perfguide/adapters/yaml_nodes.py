"""YAML as board farms export it, with the line of every scalar.

Nothing is constructed from the text: no tag, no type, no merge key is acted
on, and a scalar is the text as written. All that a bomb needs is refused: more aliases,
nodes or levels than a test case has, keys that appear twice, tags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NoReturn

import yaml

MAX_NODES = 5_000
MAX_ALIASES = 20
MAX_LEVELS = 20

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlError(Exception):
    """Text that is not the YAML that is read here, and its line within the text."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A scalar with its text, or a mapping with scalars as keys, or a list.

    ``whole`` is true for a scalar on one line.
    """

    at: int
    text: str | None = None
    whole: bool = True
    members: Mapping[str, Item] = field(default_factory=dict)
    items: tuple[Item, ...] = ()


def parse(text: str) -> Item:
    """Return the only document of a text; ``Item.at`` is an offset in characters.

    Raises :class:`YamlError` for whatever is not well-formed or is refused.
    """
    try:
        events = yaml.parse(text, Loader=_Loader)
        return _Composer(text, events).document()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        at = mark.index if mark is not None else 0
        raise YamlError(str(fault.problem or "not well-formed YAML"), _line(text, at)) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as fault:
        # Among these: characters that YAML forbids, and escapes beyond Unicode.
        raise YamlError(f"not well-formed YAML: {str(fault).splitlines()[:1]}", 1) from None


def _line(text: str, at: int) -> int:
    # PyYAML also counts U+0085, U+2028 and lone carriage returns as line ends.
    return text.count("\n", 0, at) + 1


def _at(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark is not None else 0


def _end(event: yaml.Event) -> int:
    return event.end_mark.index if event.end_mark is not None else 0


class _Composer:
    def __init__(self, text: str, events: Iterator[yaml.Event]) -> None:
        self._text = text
        self._events = events
        self._anchors: dict[str, Item] = {}
        self._nodes = 0
        self._aliases = 0

    def document(self) -> Item:
        root: Item | None = None
        for event in self._events:
            if isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
                continue
            if isinstance(event, yaml.DocumentEndEvent | yaml.StreamEndEvent):
                continue
            if root is not None:
                self._refuse("more than one document", event)
            root = self._node(event, 0)
        return root if root is not None else Item(0, "")

    def _refuse(self, message: str, event: yaml.Event) -> NoReturn:
        raise YamlError(message, _line(self._text, _at(event)))

    def _node(self, event: yaml.Event, level: int) -> Item:
        self._nodes += 1
        # Aliases of aliases make gigabytes of a few lines.
        if self._nodes > MAX_NODES or level > MAX_LEVELS:
            self._refuse("more values, or deeper nested, than a test case has", event)
        at = _at(event)
        if isinstance(event, yaml.AliasEvent):
            self._aliases += 1
            if self._aliases > MAX_ALIASES or event.anchor not in self._anchors:
                self._refuse("an alias of nothing, or one of too many", event)
            return self._anchors[event.anchor]
        if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag:
            self._refuse(f"the tag {str(event.tag)[:80]}: tags are not acted on", event)
        if isinstance(event, yaml.ScalarEvent):
            written = self._text[at : _end(event)].rstrip()
            item = Item(at, event.value, "\n" not in written)
        elif isinstance(event, yaml.SequenceStartEvent):
            parts: list[Item] = []
            while not isinstance(part := next(self._events), yaml.SequenceEndEvent):
                parts.append(self._node(part, level + 1))
            item = Item(at, items=tuple(parts))
        else:
            item = Item(at, members=self._members(level))
        if isinstance(event, yaml.NodeEvent) and event.anchor:
            self._anchors[event.anchor] = item
        return item

    def _members(self, level: int) -> dict[str, Item]:
        members: dict[str, Item] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, level + 1).text
            if key is None:
                self._refuse("a key that is not a plain text", event)
            if key in members:
                self._refuse(f"the key “{key[:80]}” stands twice", event)
            members[key] = self._node(next(self._events), level + 1)
        return members
