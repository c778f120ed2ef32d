"""Links from a guide to the same section in other releases and on other boards."""

from __future__ import annotations

from dataclasses import dataclass

from ..bundles.guide_key import GuideKey
from ..common import slugs
from .context import Site
from .sentences import Link


@dataclass(frozen=True, slots=True)
class GuideLinks:
    """The targets of a guide's links: other guides as (words, page, sections there), and the anchor
    of its platform on pages with the SoC's releases, empty if there is only one release."""

    others: tuple[tuple[str, str, tuple[str, ...]], ...]
    all_releases: str

    def of_guide(self) -> list[Link]:
        """Return links from the head of a guide to its neighbours and the newest guide."""
        return [Link(words, page) for words, page, _ in self.others]

    def of_section(self, anchor: str, benchmark_page: str, releases: str) -> list[Link]:
        """Return links from a section to the same section of pages that have it."""
        out = [
            Link(words, page, anchor) for words, page, sections in self.others if anchor in sections
        ]
        if self.all_releases:
            out.append(Link("all releases", releases, self.all_releases))
        return [*out, Link("other boards", benchmark_page, "newest")]


def links_of_guides(site: Site) -> dict[GuideKey, GuideLinks]:
    """Return the links of every guide."""
    sections = {}
    for key in site.pool.guides():
        anchors = {site.layout.anchor(record) for record in site.pool.of_guide(key)}
        # A section with parts has its own anchor, with which theirs begin.
        sections[key] = sorted(anchors | {anchor.partition("--")[0] for anchor in anchors})
    out = {}
    for platform, keys in site.families.items():
        history = slugs.anchor(f"over-releases-{site.platform_slugs[platform]}")
        for number, key in enumerate(keys):
            # Link no page twice: the next release may be the newest one.
            neighbours = (
                ("previous release", keys[:number][-1:]),
                ("next release", keys[number + 1 :][:1]),
                ("newest release", keys[number + 2 :][-1:]),
            )
            others = tuple(
                (f"{words}, {k.release}", site.addresses.guide[k], tuple(sections[k]))
                for words, guides in neighbours
                for k in guides
            )
            out[key] = GuideLinks(others, history if len(keys) > 1 else "")
    return out
