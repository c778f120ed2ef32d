"""What goes onto which page: the guides, SoCs and benchmarks of a set of bundles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ..bundles import containers, decode, object_store, supersede
from ..bundles.decompress import Limits
from ..bundles.guide_key import DEFAULT_SDK, GuideKey, guide_key, version
from ..catalog import benchmarks as catalog
from ..catalog.board_names import load_notes
from ..common import slugs, units
from ..common.diagnostics import Diagnostic
from ..common.package import ROOT

if TYPE_CHECKING:
    from . import pool

__all__ = ["BUILT_IN", "Holdings", "Settings", "read"]

T = TypeVar("T")

BUILT_IN = ROOT / "catalog" / "built_in"
"""The benchmark descriptions that an installed package carries."""


HOW_TO_BEGIN = (
    "put bundles there, in files such as run.json; perfguide pack makes them of logs, and README "
    "shows one"
)
"""What to do where there are no bundles."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things are. Paths are as the user wrote them.

    ``results``: folders or files of bundles, or URLs of them, as text. ``benchmarks``: folders of
    benchmark descriptions, later ones before earlier ones. ``output``: the
    folder that gets ``guides/``, ``by-benchmark/`` and ``reports/``.
    ``formats``: the kinds of picture that are wanted, ``svg`` and ``pdf``.
    ``acknowledged``: a file of findings about figures that are accepted.
    ``redirects``: a file of old addresses and the pages that they lead on to.
    ``boards``: the file of boards' old names. ``waivers``: the file of accepted
    changes. ``compare``: pairs of releases, as (SoC, system, old, new), that have a
    page beside those of neighbours. ``store``: the folder that keeps what was read at
    URLs. ``cache``: the folder that keeps what spares work in the next run, if there is one.
    ``scheduler``: the address of a Dask scheduler whose workers read and draw.
    ``releases``: the guides to show, as :func:`chosen` takes them; none: all.
    """

    results: tuple[str | Path, ...]
    benchmarks: tuple[Path, ...]
    output: Path
    formats: tuple[str, ...] = ("svg",)
    acknowledged: Path | None = None
    redirects: Path | None = None
    limits: Limits = field(default_factory=Limits)
    boards: Path | None = None
    waivers: Path | None = None
    compare: tuple[tuple[str, str, str, str], ...] = ()
    store: Path = Path("build/store")
    scheduler: str = ""
    cache: Path | None = None
    releases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Gathered:
    """The bundles and descriptions that were read, and what is wrong with them."""

    catalog: catalog.Catalog
    ledger: supersede.Ledger
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Holdings(Gathered):
    """The same, and their figures."""

    pool: pool.Pool


Progress = Callable[[Sequence[T], str], Iterable[T]]
"""What goes through items and may tell somebody how far it is."""


def no_progress(items: Sequence[T], _label: str) -> Iterable[T]:
    """Go through items without telling anybody."""
    return items


def read(settings: Settings, progress: Progress[containers.Source] = no_progress) -> Holdings:
    """Read every bundle and every benchmark description, and pool the figures."""
    # Commands that only look at bundles do without tables, whose library takes a third of a second.
    from . import pool, rows

    gathered = gather(settings, progress)
    by_hand, faults = load_notes(settings.boards)
    pooled = pool.Pool(rows.build(gathered.ledger.bundles), gathered.catalog, by_hand)
    diagnostics = (*gathered.diagnostics, *faults)
    return Holdings(gathered.catalog, gathered.ledger, diagnostics, pooled)


def gather(settings: Settings, progress: Progress[containers.Source] = no_progress) -> Gathered:
    """Read what :func:`read` reads, without its figures."""
    sources, diagnostics = object_store.find(
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


def chosen(guides: Sequence[GuideKey], wanted: str) -> list[GuideKey]:
    """The guides that a text names: ``newest`` the newest of each system, any other those whose
    SOC/os/release begins with it, in which ``*`` stands for any characters."""
    if wanted == "newest":
        return list(newest(guides).values())
    names = {key: f"{key.soc}/{key.os}/{key.release}" for key in guides}
    return [key for key in guides if fnmatchcase(names[key], f"{wanted}*")]


def unnamed(option: str, wanted: str) -> Diagnostic:
    """That no guide is called as an option says."""
    hint = "write SOC/os/release, with * for any characters; perfguide list names them all"
    return Diagnostic("no-guide", option, f"no guide is named “{wanted}”", hint)


def no_results(settings: Settings) -> Diagnostic:
    """Return the finding that there is no bundle to publish."""
    where = ", ".join(str(path) for path in settings.results)
    return Diagnostic("no-results", where, "no valid bundle was found", HOW_TO_BEGIN)


def only(
    ledger: supersede.Ledger, wanted: Sequence[str]
) -> tuple[supersede.Ledger, list[Diagnostic]]:
    """Return the bundles of some guides, and the texts that name none."""
    guides = sorted({guide_key(each.bundle) for each in ledger.bundles})
    kept, faults = set[GuideKey](), list[Diagnostic]()
    for text in wanted:
        found = chosen(guides, text)
        kept.update(found)
        if guides and not found:
            faults.append(unnamed("perfguide_releases", text))
    bundles = [each for each in ledger.bundles if guide_key(each.bundle) in kept]
    return replace(ledger, bundles=type(ledger.bundles)(bundles)), faults


@dataclass(frozen=True, slots=True)
class Addresses:
    """The address of each page below the output folder, without a suffix."""

    soc: dict[str, str]
    guide: dict[GuideKey, str]
    benchmark: dict[str, str]

    def latest(self, key: GuideKey) -> str:
        """The page that leads to the newest release of a guide's family."""
        return self.guide[key].rpartition("/")[0] + "/latest"

    def trace(self, key: GuideKey) -> str:
        """The page that says where the figures of a guide come from."""
        return trace(self.guide[key])


def trace(guide: str) -> str:
    """The address of a guide's provenance, from that of the guide."""
    return f"reports/provenance/{guide.partition('/')[2]}"


def plan(guides: Sequence[GuideKey], benchmarks: Sequence[str]) -> Addresses:
    """Addresses for all pages.

    The SDK family of an ordinary release does not show in its address; any
    other family has a folder of its own.
    """
    socs = slugs.slugs(key.soc for key in guides)
    sdks = slugs.slugs(key.sdk for key in guides)
    systems = slugs.slugs(key.os for key in guides)
    families: dict[tuple[str, str, str], list[GuideKey]] = {}
    for key in guides:
        families.setdefault((key.sdk, key.soc, key.os), []).append(key)
    taken: dict[GuideKey, str] = {}
    for (sdk, soc, os), members in families.items():
        folder = ["guides", socs[soc], *([f"sdk-{sdks[sdk]}"] if sdk != DEFAULT_SDK else [])]
        releases = slugs.slugs(key.release for key in members)
        for key in members:
            taken[key] = "/".join([*folder, systems[os], releases[key.release]])
    pages = slugs.slugs(benchmarks)
    return Addresses(
        {soc: f"guides/{slug}/index" for soc, slug in socs.items()},
        taken,
        {name: f"by-benchmark/{slug}" for name, slug in pages.items()},
    )


def newest(guides: Sequence[GuideKey]) -> dict[tuple[str, str, str], GuideKey]:
    """For each SDK family, SoC and OS the guide of its newest release."""
    out: dict[tuple[str, str, str], GuideKey] = {}
    for key in sorted(guides, key=lambda k: version(k.release)):
        out[key.sdk, key.soc, key.os] = key
    return dict(sorted(out.items(), key=lambda i: (units.natural(i[0][1]), i[0][0], i[0][2])))
