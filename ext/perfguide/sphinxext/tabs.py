"""Alternatives on tabs, with the nodes of sphinx-tabs."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from docutils import nodes
from sphinx_tabs.tabs import SphinxTabsPanel, SphinxTabsTab, SphinxTabsTablist

from ..common.slugs import slug


def tab_set(
    named: Sequence[tuple[str, Sequence[nodes.Node]]],
    label: str,
    prefix: str,
    texts_by_name: Mapping[str, str] | None = None,
) -> nodes.container:
    """Return a tab for each alternative, labelled with its text in ``texts_by_name`` or else its
    name. Choosing a tab also selects that name in every other set on the page."""
    outer = nodes.container(type="tab-element", classes=["sphinx-tabs", "perf-tabs"])
    tabs = SphinxTabsTablist(role="tablist", classes=["closeable"])
    tabs["aria-label"] = label
    texts = [(texts_by_name or {}).get(name, name) for name, _ in named]
    panels, titles = [], distinct_parts(texts)
    for number, (name, content) in enumerate(named):
        anchor = f"{prefix or 'table'}--{slug(name)}"
        # As sphinx-tabs does: its script uses this name to select tabs in all sets of a page.
        group = base64.b64encode(name.encode("utf-8", "replace")).decode("ascii")
        tab = SphinxTabsTab(name, titles[number], classes=["sphinx-tabs-tab", "group-tab"])
        tab["ids"], tab["name"], tab["role"] = [f"tab-{anchor}"], group, "tab"
        tab["tabindex"] = "0" if number == 0 else "-1"
        tab["aria-selected"] = "true" if number == 0 else "false"
        tab["aria-controls"] = f"panel-{anchor}"
        tabs += tab
        panel = SphinxTabsPanel(classes=["sphinx-tabs-panel", "group-tab"])
        panel["ids"], panel["name"], panel["role"] = [f"panel-{anchor}"], group, "tabpanel"
        panel["tabindex"], panel["aria-labelledby"] = 0, f"tab-{anchor}"
        panel["data-label"] = texts[number]  # the heading on paper and without scripts
        if number:
            panel["hidden"] = "true"
        panel.extend(content)
        panels.append(panel)
    outer += tabs
    outer.extend(panels)
    return outer


def distinct_parts(names: Sequence[str]) -> list[str]:
    """Return names without the comma-separated parts that all of them share."""
    parts = [name.split(", ") for name in names]
    if len(names) < 2 or len({*map(len, parts)}) > 1:
        return list(names)
    varying = [n for n, column in enumerate(zip(*parts, strict=True)) if len({*column}) > 1]
    return [", ".join(words[n] for n in varying) for words in parts]
