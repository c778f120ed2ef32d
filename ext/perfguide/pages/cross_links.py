"""The same section in other releases and on other boards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ..bundles.guide_key import GuideKey, families
from ..common import slugs
from ..figures.dataset import Addresses
from ..figures.pool import Pool
from ..tables.assign import Layout

Link = tuple[str, str, str]
"""What a link says, the page that it leads to, and the section there."""

SIGNATURE = ["benchmark", "metric", "unit", "params"]
GUIDE = ["sdk", "soc", "os", "release"]


class Elsewhere:
    """Which sections each guide has, and how they are linked to each other."""

    def __init__(self, pool: Pool, layout: Layout, plan: Addresses) -> None:
        self._pool, self._layout, self._plan = pool, layout, plan

    @cached_property
    def _anchors(self) -> dict[GuideKey, set[str]]:
        """The addresses of the sections of each guide.

        Where a figure stands depends on its signature alone, so one figure of each is asked.
        """
        table = self._pool.figures()
        if table.empty:
            return {}
        number = table.groupby(SIGNATURE, observed=True, sort=False).ngroup().to_numpy()
        firsts = [int(place) for place in table.assign(n=number).drop_duplicates("n").index]
        section = [self._layout.anchor(record) for record in self._pool.take(firsts)]
        out: dict[GuideKey, set[str]] = {}
        pairs = table[GUIDE].astype(str).assign(n=number).drop_duplicates()
        for sdk, soc, os, release, n in pairs.itertuples(index=False):
            held = out.setdefault(GuideKey(sdk, soc, os, release), set())
            held |= {section[n], section[n].partition("--")[0]}
        return out

    @cached_property
    def _families(self) -> dict[tuple[str, str, str], list[GuideKey]]:
        return families(self._plan.guide)

    def guide(self, key: GuideKey) -> list[Link]:
        """From the head of a guide to its neighbours and the newest one."""
        return self._releases(key, "")

    def made_from(self, key: GuideKey) -> object:
        """What all links of a guide follow from, besides the guide itself and the pages of
        benchmarks."""
        found = [
            (words, other.release, self._plan.guide[other], sorted(self._anchors.get(other, ())))
            for words, other in self._others(key)
        ]
        return found, len(self._families[key.platform]) > 1

    def section(self, key: GuideKey, anchor: str, benchmark: str, platform: str) -> list[Link]:
        """From a section to the same section elsewhere, where there is one."""
        page = self._plan.benchmark[benchmark]
        out = self._releases(key, anchor)
        if len(self._families[key.platform]) > 1:
            out.append(("all releases", page, slugs.anchor(f"over-releases-{platform}")))
        return [*out, ("other boards", page, "newest")]

    def _others(self, key: GuideKey) -> list[tuple[str, GuideKey]]:
        """The other guides of a family to which one leads, and what they are to it."""
        members = self._families[key.platform]
        own = members.index(key)
        wanted: list[tuple[str, Sequence[GuideKey]]] = [
            ("previous release", members[:own][-1:]),
            ("next release", members[own + 1 :][:1]),
            ("newest release", members[own + 2 :][-1:]),
        ]
        return [(words, other) for words, found in wanted for other in found]

    def _releases(self, key: GuideKey, anchor: str) -> list[Link]:
        return [
            (
                f"{words}, {other.release}",
                self._plan.guide[other],
                slugs.anchor(anchor) if anchor else "",
            )
            for words, other in self._others(key)
            if not anchor or anchor in self._anchors.get(other, ())
        ]
