"""Links from a guide to the same section in other releases and on other boards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..bundles.guide_key import GuideKey
from ..common import slugs
from ..figures.columns import GUIDE, firsts
from ..figures.pool import Pool
from ..tables.assign import Layout
from .context import Site
from .sentences import Link


@dataclass(frozen=True, slots=True)
class GuideLinks:
    """The targets of a guide's links: other guides as (words, page, sections there), and the anchor
    of its platform's releases on pages of benchmarks, empty if there is one release."""

    others: tuple[tuple[str, str, tuple[str, ...]], ...]
    all_releases: str

    def of_guide(self) -> list[Link]:
        """Return links from the head of the guide to its neighbours and the newest one."""
        return [Link(words, page) for words, page, _ in self.others]

    def of_section(self, anchor: str, benchmark_page: str) -> list[Link]:
        """Return links from a section to the same section of pages that have it."""
        out = [
            Link(words, page, anchor) for words, page, sections in self.others if anchor in sections
        ]
        if self.all_releases:
            out.append(Link("all releases", benchmark_page, self.all_releases))
        return [*out, Link("other boards", benchmark_page, "newest")]


def links_of_guides(site: Site) -> dict[GuideKey, GuideLinks]:
    """Return the links of every guide."""
    sections, out = _sections(site.pool, site.layout), {}
    for platform, keys in site.families.items():
        history = slugs.anchor(f"over-releases-{site.platform_slugs[platform]}")
        for own, key in enumerate(keys):
            # No page is linked twice: the next release can be the newest one.
            wanted = (
                ("previous release", keys[:own][-1:]),
                ("next release", keys[own + 1 :][:1]),
                ("newest release", keys[own + 2 :][-1:]),
            )
            others = tuple(
                (f"{words}, {k.release}", site.addresses.guide[k], tuple(sorted(sections[k])))
                for words, guides in wanted
                for k in guides
            )
            out[key] = GuideLinks(others, history if len(keys) > 1 else "")
    return out


def _sections(pool: Pool, layout: Layout) -> dict[GuideKey, set[str]]:
    """Return the anchors of the sections of each guide."""
    table = pool.figures()
    if table.empty:
        return {}
    number, guide = (
        table.groupby(names, observed=True, sort=False).ngroup().to_numpy().astype("int64")
        for names in (["benchmark", "metric", "unit", "params"], list(GUIDE))
    )
    # The section of a figure follows from these names alone, so one figure of each will do.
    anchors = [layout.anchor(record) for record in pool.take(firsts(number))]
    guides = table[list(GUIDE)].iloc[firsts(guide)].itertuples(index=False)
    out: list[tuple[GuideKey, set[str]]] = [(GuideKey(*names), set()) for names in guides]
    for pair in np.unique(guide * len(anchors) + number).tolist():
        position, anchor = divmod(pair, len(anchors))
        out[position][1].update((anchors[anchor], anchors[anchor].partition("--")[0]))
    return dict(out)
