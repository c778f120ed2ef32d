"""What all pages of one site share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..bundle import Bundle
from ..bundles.decompress import Limits
from ..bundles.guide_key import GuideKey, Platform, families, guide_key
from ..catalog.benchmarks import Catalog
from ..catalog.board_names import Boards
from ..charts import trends
from ..charts.from_figures import Scene
from ..charts.gallery import Drawn, Picture
from ..common import slugs, units
from ..figures.dataset import Addresses, Holdings, plan
from ..figures.pool import Pool
from ..health.finding import Finding
from ..health.marks import Marks
from ..publishing.output_folder import Writer
from ..tables.assign import Layout
from .basis import Basis
from .keeping import Keeping
from .sentences import link_name


@dataclass(frozen=True, slots=True)
class ProvenancePage:
    """The page that says where the figures of a guide come from."""

    address: str
    title: str

    @property
    def label(self) -> str:
        """The page's name in links."""
        return link_name(self.address)


@dataclass(frozen=True, slots=True)
class Site:
    """What all pages of one site share. Nothing in it changes while pages are written, except the
    pictures that it collects.

    ``guides`` are in the order of their pages, and ``socs`` has those of each SoC. Of each platform
    ``families`` has the guides, the oldest release first, ``platform_slugs`` its part of addresses,
    as ``am62x-linux``, and ``scenes`` its releases and what its boards changed between them.
    ``notes`` are those that stand with the list of ``boards``, and ``findings`` all that is wrong
    with the figures of each guide.
    ``basis`` says what each part of the site is made from, by which ``keeping`` leaves
    alone what would be the same again.
    """

    holdings: Holdings
    addresses: Addresses
    guides: Sequence[GuideKey]
    socs: Mapping[str, list[GuideKey]]
    families: Mapping[Platform, list[GuideKey]]
    platform_slugs: Mapping[Platform, str]
    scenes: Mapping[Platform, Scene]
    layout: Layout
    marks: Marks
    boards: Boards
    findings: Mapping[GuideKey, Sequence[Finding]]
    limits: Limits
    basis: Basis
    keeping: Keeping
    writer: Writer

    @property
    def pool(self) -> Pool:
        """All figures."""
        return self.holdings.pool

    @property
    def catalog(self) -> Catalog:
        """What is known of benchmarks."""
        return self.holdings.catalog

    @property
    def pictures(self) -> list[Picture | Drawn]:
        """Collects the pictures of all pages; they are drawn while pages are written."""
        return self.keeping.pictures

    def provenance(self, key: GuideKey) -> ProvenancePage:
        """The page that says where the figures of a guide come from."""
        return ProvenancePage(self.addresses.trace(key), f"Provenance of {key}")


def site_of(
    holdings: Holdings,
    findings: Sequence[Finding],
    boards: Boards,
    writer: Writer,
    keeping: Keeping,
    limits: Limits,
) -> Site:
    """The site over all that was read; ``findings`` are all that is wrong with its figures."""
    guides = holdings.pool.guides()
    addresses = plan(guides, holdings.pool.benchmarks())
    folders = {key.platform: "/".join(addresses.guide[key].split("/")[1:-1]) for key in guides}
    words = slugs.joined(folders.values())
    by_platform = families(guides)
    socs: dict[str, list[GuideKey]] = {}
    for key in sorted(guides, key=lambda key: units.natural(key.soc)):
        socs.setdefault(key.soc, []).append(key)
    bundles: dict[Platform, list[Bundle]] = {}
    for item in holdings.ledger.bundles:
        if (key := guide_key(item.bundle)) in addresses.guide:
            bundles.setdefault(key.platform, []).append(item.bundle)
    of_guides: dict[GuideKey, list[Finding]] = {}
    for finding in findings:
        of_guides.setdefault(finding.guide, []).append(finding)
    return Site(
        holdings=holdings,
        addresses=addresses,
        guides=guides,
        socs=socs,
        families=by_platform,
        platform_slugs={platform: words[folder] for platform, folder in folders.items()},
        scenes={
            platform: trends.scene((key.release for key in keys), bundles[platform], boards)
            for platform, keys in by_platform.items()
        },
        layout=Layout(holdings.catalog),
        marks=Marks(findings),
        boards=boards,
        findings=of_guides,
        limits=limits,
        basis=Basis(holdings, addresses, findings, writer.store.digest),
        keeping=keeping,
        writer=writer,
    )
