"""What search engines and the search page are told of a page, made from its figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..bundles.decode import Loaded
from ..bundles.guide_key import GuideKey, family
from ..catalog.benchmarks import Benchmark, Catalog
from ..common import slugs, units
from ..common.diagnostics import visible
from ..figures import labels
from ..figures.pool import Record
from ..tables import summaries
from ..tables.assign import Section
from . import search_words
from .search_words import Place

FILE = "about.json"
NAMED = 4
"""So many benchmarks or boards are named in a description; the others are counted."""


def enumeration(names: Sequence[str], more: int = NAMED) -> str:
    """``A, B and C``, or ``A, B, C, D and 7 more``."""
    if len(names) > more + 1:
        return f"{', '.join(names[:more])} and {len(names) - more} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def as_json(value: Mapping[str, Any]) -> bytes:
    """The same value as the same bytes, whatever the order of its keys; what would not
    show in a text, or would move other text, is an escape."""
    text = json.dumps(_visible(value), indent=1, ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value, 10**6)
    if isinstance(value, Mapping):
        return {key: _visible(item) for key, item in value.items()}
    return [_visible(item) for item in value] if isinstance(value, list) else value


def guide(
    key: GuideKey,
    records: Sequence[Record],
    sections: Sequence[Section],
    other: Mapping[str, Sequence[Record]],
    bundles: Sequence[Loaded],
    catalog: Catalog,
) -> dict[str, Any]:
    """A guide in a sentence or two, and as a schema.org Dataset without its addresses."""
    titles = list(dict.fromkeys(section.benchmark.entry.title for section in sections))
    titles += [title(catalog, name) for name in other]
    boards = summaries.natural_boards(records)
    figures = f"{len(records)} figures" if len(records) != 1 else "1 figure"
    description = (
        f"{key.soc} with {family(key)} {key.release}: {figures} of {enumeration(titles)}, "
        f"measured on {enumeration(boards)}, {summaries.period(bundles)}."
    )
    days = sorted(loaded.bundle.created.date().isoformat() for loaded in bundles)
    dataset = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": f"{key.soc} performance figures, {family(key)} {key.release}",
        "description": description,
        "version": key.release,
        "isAccessibleForFree": True,
        "keywords": [key.soc, family(key), *boards, *titles],
        "measurementTechnique": titles,
        "temporalCoverage": "/".join(dict.fromkeys((days[0], days[-1]))),
        "dateModified": days[-1],
        "variableMeasured": _variables(records, catalog),
    }
    return {"description": description, "dataset": dataset}


def _variables(records: Iterable[Record], catalog: Catalog) -> list[dict[str, str]]:
    """Each metric once, with its unit."""
    out: dict[tuple[str, str], None] = {}
    for record in records:
        known = catalog.get(record.benchmark)
        name = labels.label(known, record) if known else f"{record.benchmark}, {record.metric}"
        out[name, units.parse(record.unit).shown] = None
    return [
        {"@type": "PropertyValue", "name": name, **({"unitText": unit} if unit else {})}
        for name, unit in out
    ]


def soc(name: str, keys: Sequence[GuideKey], boards: Sequence[str]) -> dict[str, str]:
    """A SoC's page in a sentence."""
    systems = sorted({family(key) for key in keys})
    count = f"{len(keys)} releases" if len(keys) != 1 else "1 release"
    text = (
        f"Performance of {name} with {enumeration(systems)}: headline figures and guides of "
        f"{count}, measured on {enumeration(boards)}."
    )
    return {"description": text}


def benchmark(name: str, guides: Sequence[GuideKey], boards: Sequence[str]) -> dict[str, str]:
    """A benchmark's page in a sentence; ``guides`` are those that have figures of it."""
    socs = sorted({key.soc for key in guides}, key=units.natural)
    count = f"{len(guides)} releases" if len(guides) != 1 else "1 release"
    text = (
        f"{name} on {enumeration(socs)}: the newest figures of {enumeration(boards)} side by "
        f"side, and all figures of {count}."
    )
    return {"description": text}


def title(catalog: Catalog, name: str) -> str:
    """What pages call a benchmark."""
    known = catalog.get(name)
    return known.entry.title if known else name


def places(
    sections: Sequence[Section], other: Mapping[str, Sequence[Record]], catalog: Catalog
) -> list[Place]:
    """The sections of a guide with the words that lead to them."""
    out = []
    for section in sections:
        own = section.benchmark
        slug = slugs.slug(own.name)
        anchor = slugs.anchor(f"{slug}--{section.part_id}" if section.part else slug)
        heading = ", ".join(filter(None, (own.entry.title, section.part)))
        out.append(Place(anchor, heading, words(own, own.name, section.records)))
    for name, records in other.items():
        anchor = slugs.anchor(f"other-{slugs.slug(name)}")
        found = words(catalog.get(name), name, records)
        out.append(Place(anchor, f"{title(catalog, name)}, other results", found))
    return out


def whole(name: str, found: tuple[str, ...]) -> Place:
    """A benchmark's own page, by its title and the words that lead to it, as one place."""
    return Place("newest", f"{name}, all boards and releases", found)


def words(own: Benchmark | None, name: str, records: Iterable[Record]) -> tuple[str, ...]:
    """The words that lead to figures of one benchmark, each once."""
    return search_words.split(*search_words.of_records(own, name, records))
