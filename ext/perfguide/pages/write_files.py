"""Writes pages from their templates, and the JSON files that stand beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import jinja2

from ..bundles.guide_key import family
from ..common import rst_text
from ..common.diagnostics import visible
from .context import Site

IGNORED = ".gitignore"

NAMED = 4
"""So many benchmarks or boards are named in a description; the others are counted."""


@cache
def _templates() -> jinja2.Environment:
    """The templates of all pages, which are compiled once in a process."""
    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("perfguide.pages"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # the output is reStructuredText; see rst_text.text
    )
    templates.filters["text"] = rst_text.text
    templates.filters["quoted"] = rst_text.quoted
    templates.filters["toctree_title"] = visible
    templates.globals.update(heading=rst_text.heading, literal=rst_text.literal, family=family)
    return templates


def page(site: Site, address: str, template: str, **values: object) -> None:
    """Write a page from its template."""
    text = _templates().get_template(template).render(address=address, **values)
    site.writer.write(f"{address}.rst", f".. perf-generated::\n\n{text}".encode())


def notice(site: Site, address: str, title: str, reason: str, pages: Sequence[str] = ()) -> None:
    """Write a page that says why it could not be made; ``pages`` are those that it lists."""
    page(site, address, "unmade.rst.jinja", title=title, reason=reason, pages=pages)


def json_file(site: Site, name: str, value: object, sort_keys: bool = False) -> None:
    """Write a JSON file; what no UTF-8 text can hold is an escape in it."""
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=sort_keys)
    site.writer.write(name, text.encode("utf-8", "backslashreplace") + b"\n")


def about(site: Site, page: str, description: str, **more: object) -> None:
    """Write what search engines are told of a page beside it; what would not show in a text,
    or would move other text, is an escape in it."""
    content = _visible({"description": description, **more})
    json_file(site, f"{page}/about.json", content, sort_keys=True)


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value, 10**6)
    if isinstance(value, Mapping):
        return {key: _visible(item) for key, item in value.items()}
    return [_visible(item) for item in value] if isinstance(value, list) else value


def enumeration(names: Sequence[str], most: int = NAMED) -> str:
    """``A, B and C``, or ``A, B, C, D and 7 more``."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def lists_by_soc(
    site: Site,
    folder: str,
    title: str,
    sentence: str,
    pages: Mapping[str, Sequence[tuple[str, str]]],
) -> dict[str, str]:
    """Write for each SoC a page that lists some of its pages, each as (title, address), an
    empty title for the page's own; return the addresses of these lists below the first folder
    of theirs. ``sentence`` is one of ours about the pages."""
    lists = {}
    for soc, listed in pages.items():
        address = f"{folder}/{site.addresses.soc[soc].partition('/')[2]}"
        own = address.removesuffix("index")
        inside = [(heading, target.removeprefix(own)) for heading, target in listed]
        values = {"title": f"{title} {soc}", "sentence": sentence, "pages": inside}
        page(site, address, "soc_list.rst.jinja", **values)
        lists[soc] = address.partition("/")[2]
    return lists


def gitignore(site: Site) -> None:
    """Write a file by which git passes over all that is generated, unless there is one of
    somebody else's."""
    if not site.writer.is_known(IGNORED):
        names = {f"/{name.partition('/')[0]}" for name in (*site.writer.names, IGNORED)}
        site.writer.write(IGNORED, "".join(f"{name}\n" for name in sorted(names)).encode())
