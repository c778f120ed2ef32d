"""The bundles and figures of a project: how they are read, selected, and addressed on pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..bundles import containers, decode, object_store, supersede
from ..bundles.decompress import Limits
from ..bundles.guide_key import DEFAULT_SDK, GuideKey, families, guide_key
from ..catalog import benchmarks as catalog
from ..catalog.board_names import load_notes
from ..common import slugs, units
from ..common.diagnostics import Diagnostic
from ..common.grouping import grouped
from ..common.package import ROOT

if TYPE_CHECKING:
    from . import pool

__all__ = ["BUILT_IN", "Holdings", "Settings", "read"]

T = TypeVar("T")

BUILT_IN = ROOT / "catalog" / "built_in"
"""The benchmark descriptions that ship with the package."""


HOW_TO_BEGIN = (
    "put bundles there, in files such as run.json; perfguide pack makes them from logs, and the "
    "README shows one"
)
"""Advice for a project without bundles."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The inputs and outputs of a run, with paths as the user wrote them."""

    results: tuple[str | Path, ...]
    """Folders or files of bundles; URLs are strings."""
    benchmarks: tuple[Path, ...]
    """Folders of benchmark descriptions; a later one takes precedence."""
    output: Path
    """The folder for ``guides/``, ``by-benchmark/`` and ``reports/``."""
    formats: tuple[str, ...] = ("svg",)
    """Image formats: ``svg``, ``pdf``."""
    acknowledged: Path | None = None
    """A file of accepted findings about figures."""
    redirects: Path | None = None
    """A file that maps old addresses to the pages that replace them."""
    limits: Limits = field(default_factory=Limits)
    boards: Path | None = None
    """A file of former board names."""
    waivers: Path | None = None
    """A file of accepted changes."""
    compare: tuple[tuple[str, str, str, str], ...] = ()
    """Additional pairs of releases to compare, besides consecutive ones, as (SoC, OS, old, new)."""
    store: Path = Path("build/store")
    """The folder for copies of downloaded bundles."""
    scheduler: str = ""
    """The address of a Dask scheduler whose workers generate pages; empty for none."""
    cache: Path | None = None
    """The folder for intermediate results that later runs reuse."""
    releases: tuple[str, ...] = ()
    """The guides to show, in the notation of :func:`chosen`; all if empty."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """Bundles and benchmark descriptions, with diagnostics about both."""

    catalog: catalog.Catalog
    ledger: supersede.Ledger
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Holdings(Gathered):
    """Bundles, benchmark descriptions and the pooled figures."""

    pool: pool.Pool


Progress = Callable[[Sequence[T], str], Iterable[T]]
"""A function that yields the given items and may report progress under the given label."""


def no_progress(items: Sequence[T], _label: str) -> Iterable[T]:
    """Return the items without reporting progress."""
    return items


def read(settings: Settings, progress: Progress[containers.Source] = no_progress) -> Holdings:
    """Read all bundles and benchmark descriptions, and pool the figures."""
    # Importing pandas takes a third of a second; commands that only read bundles do without it.
    from . import pool, rows

    gathered = gather(settings, progress)
    by_hand, faults = load_notes(settings.boards)
    pooled = pool.Pool(rows.build(gathered.ledger.bundles), gathered.catalog, by_hand)
    diagnostics = (*gathered.diagnostics, *faults)
    return Holdings(gathered.catalog, gathered.ledger, diagnostics, pooled)


def gather(settings: Settings, progress: Progress[containers.Source] = no_progress) -> Gathered:
    """Read all bundles and benchmark descriptions."""
    sources, diagnostics, _ = object_store.find(
        settings.results, settings.store, settings.limits, progress
    )
    loaded: list[decode.Loaded] = []
    for source in progress(sources, "reading bundles"):
        for item in decode.upload(source, settings.limits):
            if isinstance(item, Diagnostic):
                diagnostics.append(item)
            else:
                loaded.append(item)
    described, faults = catalog.load(settings.benchmarks)
    settled = supersede.settle(loaded)
    diagnostics += [*settled.diagnostics, *faults]
    if settings.releases:
        settled, faults = only(settled, settings.releases)
        diagnostics += faults
    if not settled.bundles:
        diagnostics.append(no_results(settings))
    return Gathered(described, settled, tuple(diagnostics))


def chosen(guides: Sequence[GuideKey], pattern: str) -> list[GuideKey]:
    """Return the guides that ``pattern`` selects: ``newest`` for the newest of each system, or a
    prefix of SOC/os/release in which ``*`` matches any characters."""
    if pattern == "newest":
        return list(newest(guides).values())
    names = {key: f"{key.soc}/{key.os}/{key.release}" for key in guides}
    return [key for key in guides if fnmatchcase(names[key], f"{pattern}*")]


def unnamed(option: str, pattern: str) -> Diagnostic:
    """Return the diagnostic for an option that names no existing guide."""
    hint = "write SOC/os/release, with * as a wildcard; perfguide list names all guides"
    return Diagnostic("no-guide", option, f"no guide is named “{pattern}”", hint)


def no_results(settings: Settings) -> Diagnostic:
    """Return the diagnostic for a project without valid bundles."""
    where = ", ".join(str(path) for path in settings.results)
    return Diagnostic("no-results", where, "no valid bundle was found", HOW_TO_BEGIN)


def only(
    ledger: supersede.Ledger, patterns: Sequence[str]
) -> tuple[supersede.Ledger, list[Diagnostic]]:
    """Return the bundles of the selected guides, and diagnostics for patterns that match none."""
    guides = sorted({guide_key(item.bundle) for item in ledger.bundles})
    selected = {text: chosen(guides, text) for text in patterns}
    faults = [
        unnamed("perfguide_releases", text)
        for text, matches in selected.items()
        if guides and not matches
    ]
    keys = {key for matches in selected.values() for key in matches}
    bundles = [item for item in ledger.bundles if guide_key(item.bundle) in keys]
    return replace(ledger, bundles=type(ledger.bundles)(bundles)), faults


@dataclass(frozen=True, slots=True)
class Addresses:
    """The address of each page relative to the output folder, without a suffix."""

    soc: dict[str, str]
    guide: dict[GuideKey, str]
    benchmark: dict[str, str]

    def latest(self, key: GuideKey) -> str:
        """Return the page that redirects to the newest release of a guide's platform."""
        return self.guide[key].rpartition("/")[0] + "/latest"

    def releases(self, benchmark: str, soc: str) -> str:
        """Return the page that compares a SoC's releases in one benchmark."""
        return f"{self.benchmark[benchmark]}/{self.soc[soc].split('/')[1]}"

    def trace(self, key: GuideKey) -> str:
        """Return the page with the provenance of a guide."""
        return trace(self.guide[key])


def trace(guide: str) -> str:
    """Return the address of the provenance page for a guide's address."""
    return f"reports/provenance/{guide.partition('/')[2]}"


def plan(guides: Sequence[GuideKey], benchmarks: Sequence[str]) -> Addresses:
    """Return the addresses of all pages. Only SDK families other than the default get a folder."""
    socs = slugs.slugs(key.soc for key in guides)
    sdks = slugs.slugs(key.sdk for key in guides)
    systems = slugs.slugs(key.os for key in guides)
    guide_pages: dict[GuideKey, str] = {}
    families = grouped(guides, lambda key: (key.sdk, key.soc, key.os))
    for (sdk, soc, os), members in families.items():
        folder = ["guides", socs[soc], *([f"sdk-{sdks[sdk]}"] if sdk != DEFAULT_SDK else [])]
        releases = slugs.slugs(key.release for key in members)
        for key in members:
            guide_pages[key] = "/".join([*folder, systems[os], releases[key.release]])
    pages = slugs.slugs(benchmarks)
    return Addresses(
        {soc: f"guides/{slug}/index" for soc, slug in socs.items()},
        guide_pages,
        {name: f"by-benchmark/{slug}" for name, slug in pages.items()},
    )


def newest(guides: Sequence[GuideKey]) -> dict[tuple[str, str, str], GuideKey]:
    """Return the guide of the newest release of each SDK family, SoC and OS."""
    last = {platform: keys[-1] for platform, keys in families(guides).items()}
    return dict(sorted(last.items(), key=lambda i: (units.natural(i[0][1]), i[0][0], i[0][2])))
