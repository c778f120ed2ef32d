"""The site, its plan and its writer, which all of its pages share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ..bundle import Bundle
from ..bundles.decompress import Limits
from ..bundles.guide_key import GuideKey, Platform, families, guide_key
from ..catalog.benchmarks import Catalog
from ..catalog.board_names import Boards
from ..charts import trends
from ..charts.from_figures import Scene
from ..charts.gallery import Picture
from ..common import containment, units
from ..common.diagnostics import Diagnostic
from ..common.grouping import grouped
from ..figures import terms
from ..figures.dataset import Addresses, Holdings
from ..figures.pool import Pool
from ..health.finding import Finding
from ..health.marks import Marks
from ..publishing.output_folder import Writer
from ..tables.assign import Layout
from .sentences import link_name

T = TypeVar("T")


class Making:
    """The pages, files and pictures being made, and those that could not be made."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.pictures: list[Picture] = []
        self.unmade: list[Diagnostic] = []

    def attempt(
        self, label: str, page: str, make: Callable[[], T], instead: Callable[[str], T]
    ) -> T:
        """Return the result of ``make``. If it raises, discard its files and pictures, and return
        the result of ``instead``, which gets the error message for readers. ``label`` names the
        part of the ``page`` that is being made."""
        # Both keep the order of writing, so their lengths are enough to go back.
        files, pictures = len(self.writer.files), len(self.pictures)

        def fail(finding: Diagnostic) -> T:
            self.writer.take_back(files)
            del self.pictures[pictures:]
            self.unmade.append(finding)
            return instead(finding.message)

        return containment.attempt(label, f"{page}.rst", make, fail)


@dataclass(frozen=True, slots=True)
class ProvenancePage:
    """The page that says where a guide's figures come from."""

    address: str
    title: str

    @property
    def label(self) -> str:
        """The page's name in links."""
        return link_name(self.address)


@dataclass(frozen=True, slots=True)
class Plan:
    """Names that all pages of a site agree on, however many processes make them.

    ``addresses`` are those of all pages. ``platform_slugs`` are the parts of addresses that
    represent platforms, such as ``am62x-linux``. ``errata`` has the page of each guide that lost a
    bundle. ``spelt`` has the units of metrics that no description covers.
    """

    addresses: Addresses
    platform_slugs: Mapping[Platform, str]
    errata: Mapping[GuideKey, str]
    spelt: terms.Spelt


@dataclass(frozen=True, slots=True)
class Site:
    """The guides of one SoC, or of all, and everything that their pages share. It does not change
    while pages are written, except for what ``making`` collects.

    ``guides`` are in page order; ``socs`` has those of each SoC. By platform, ``families`` has the
    guides, oldest release first, and ``scenes`` the releases and the changes to boards between
    them. ``findings`` are the doubts about figures, by guide.
    """

    holdings: Holdings
    plan: Plan
    guides: Sequence[GuideKey]
    socs: Mapping[str, list[GuideKey]]
    families: Mapping[Platform, list[GuideKey]]
    scenes: Mapping[Platform, Scene]
    layout: Layout
    marks: Marks
    boards: Boards
    findings: Mapping[GuideKey, Sequence[Finding]]
    limits: Limits
    making: Making

    @property
    def pool(self) -> Pool:
        """The figures."""
        return self.holdings.pool

    @property
    def catalog(self) -> Catalog:
        """The descriptions of benchmarks."""
        return self.holdings.catalog

    @property
    def addresses(self) -> Addresses:
        """The addresses of all pages."""
        return self.plan.addresses

    @property
    def platform_slugs(self) -> Mapping[Platform, str]:
        """The part of addresses that represents each platform."""
        return self.plan.platform_slugs

    @property
    def writer(self) -> Writer:
        """Writes the files of the pages."""
        return self.making.writer

    @property
    def pictures(self) -> list[Picture]:
        """Collects the pictures of the pages."""
        return self.making.pictures

    def provenance(self, key: GuideKey) -> ProvenancePage:
        """Return the page with the origin of a guide's figures."""
        return ProvenancePage(self.addresses.trace(key), f"Provenance of {key}")


def site_of(
    holdings: Holdings,
    guides: Sequence[GuideKey],
    plan: Plan,
    findings: Sequence[Finding],
    boards: Boards,
    making: Making,
    limits: Limits,
) -> Site:
    """Return the site of some guides; ``findings`` are all doubts about their figures."""
    by_platform = families(guides)
    # Sorts are stable, so the guides of one SoC keep their order.
    ordered = sorted(guides, key=lambda key: units.natural(key.soc))
    bundles: dict[Platform, list[Bundle]] = {}
    for item in holdings.ledger.bundles:
        # A bundle without results belongs to no guide.
        if (key := guide_key(item.bundle)) in plan.addresses.guide:
            bundles.setdefault(key.platform, []).append(item.bundle)
    of_guides = grouped(findings, lambda finding: finding.guide)
    return Site(
        holdings=holdings,
        plan=plan,
        guides=guides,
        socs=grouped(ordered, lambda key: key.soc),
        families=by_platform,
        scenes={
            platform: trends.scene((key.release for key in keys), bundles.get(platform, ()), boards)
            for platform, keys in by_platform.items()
        },
        layout=Layout(holdings.catalog),
        marks=Marks(findings),
        boards=boards,
        findings=of_guides,
        limits=limits,
        making=making,
    )
