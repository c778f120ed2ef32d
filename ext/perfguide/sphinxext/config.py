"""The values that ``conf.py`` may set, and findings as Sphinx's warnings."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging

from ..bundles.decompress import changed
from ..bundles.object_store import is_url
from ..common.diagnostics import Diagnostic, shortened
from ..figures.dataset import BUILT_IN, Settings

logger = logging.getLogger(__name__)


PATHS = tuple(
    f"perfguide_{name}"
    for name in (
        *("results", "cache", "store", "benchmarks", "acknowledged", "redirects", "boards"),
        "waivers",
    )
)
"""The values that are paths, but for that of the output."""


class Values(msgspec.Struct):
    """Each value with its default and its meaning, which the page of the configuration shows.

    A relative path is below the folder of ``conf.py``, or, where nothing is there and Sphinx has
    another source folder, below that one.

    Sphinx reads no page again when one of them changes: what a value changes is the generated
    pages, and those that differ are read again.
    """

    perfguide_results: str | list[str] | tuple[str, ...] = msgspec.field(
        default_factory=lambda: ["results"]
    )
    """Folders or files of bundles, or URLs such as s3://bucket/folder."""
    perfguide_cache: str = "build/cache"
    """Folder that keeps what spares work in later builds."""
    perfguide_store: str = "build/store"
    """Folder that keeps what was read at URLs."""
    perfguide_scheduler: str = ""
    """Address of a Dask scheduler whose workers read bundles and draw: tcp://host:8786."""
    perfguide_benchmarks: str = "source/benchmarks"
    """Folder of benchmark descriptions, beside those that the package carries."""
    perfguide_acknowledged: str = "source/acknowledged.toml"
    """File of findings about figures that are accepted, with reasons."""
    perfguide_redirects: str = "source/redirects.toml"
    """File of old addresses and the pages that they lead on to."""
    perfguide_output: str = "source"
    """Folder for the generated pages; it is the source folder of Sphinx, or in it."""
    perfguide_releases: str | list[str] | tuple[str, ...] = []
    """Guides to show, each as SOC/os/release with ``*`` for any characters, or ``newest``; left
    out: all. The others are not read into any page, comparison or file of data."""
    perfguide_number_by_page: bool = False
    """Whether the numbers of tables and figures begin anew on each page."""
    perfguide_boards: str = "source/boards.toml"
    """File of the old names of boards."""
    perfguide_waivers: str = "source/waivers.toml"
    """File of accepted changes."""
    perfguide_compare: list[Any] | tuple[Any, ...] = []
    """Pairs of releases to compare beside neighbours, as (SoC, system, old, new)."""
    perfguide_own_results: str = ""
    """The same as ``perfguide_results`` as a JSON list, which goes first; ``perfguide build``
    gives it."""
    perfguide_own_output: bool = False
    """Whether the output folder holds nothing else, and may be emptied."""
    perfguide_pdf: str = ""
    """Guides that LaTeX makes a document of each: ``newest``, or SOC/os/release with ``*`` for
    any characters; left out: what ``latex_documents`` says."""
    perfguide_csp: bool = False
    """Whether pages carry a strict Content-Security-Policy; see SECURITY.md."""
    perfguide_description: bool = True
    """Whether a generated page says in ``<meta name="description">`` what it is about; where another
    extension does, it is left to that."""
    perfguide_social: bool = True
    """Whether a generated page has ``og:`` tags for previews of links; where another extension such
    as sphinxext-opengraph writes them, they are left to that."""
    perfguide_feed: bool = True
    """Whether the site has a feed of releases and errata, ``feed.xml``, which the head of each
    generated page names."""
    perfguide_sitemap: bool = True
    """Whether the site has a ``sitemap.xml`` of the generated pages, or of all pages where
    ``html_theme`` is ``perfguide``, if ``html_baseurl`` is set; where sphinx-sitemap is loaded or ``html_extra_path`` has one, it is left to that."""
    perfguide_profile: bool = False
    """Whether a build tells where its time went."""
    perfguide_badges: dict[str, str] = {}
    """Badges to write: a name, and the query of the figure that it shows."""
    perfguide_limits: dict[str, int] = {}
    """Limits of one upload by name; SECURITY.md lists them."""


def _place_paths(app: Sphinx, config: Config) -> None:
    """Make relative paths what they are as seen from the source folder."""
    conf, source = Path(app.confdir), Path(app.srcdir)
    if conf != source:
        for name in PATHS:
            given = getattr(config, name)
            paths = [given] if isinstance(given, str) else list(given)
            placed = [_placed(path, conf, source) for path in paths]
            setattr(config, name, placed[0] if isinstance(given, str) else placed)
    inside = [os.path.relpath(top / config.perfguide_output, source) for top in (conf, source)]
    within = [path for path in inside if Path(path).parts[:1] != ("..",)]
    if not within:
        raise ConfigError(
            f"perfguide_output: “{config.perfguide_output}” is not in the source folder {source}, "
            "and Sphinx finds pages only there; name a folder in it"
        )
    config.perfguide_output = Path(within[0]).as_posix()


def _placed(path: str, conf: Path, source: Path) -> str:
    if is_url(path) or Path(path).is_absolute():
        return path
    there = source if (source / path).exists() and not (conf / path).exists() else conf
    return os.path.relpath(there / path, source)


def page_name(top: str, page: str) -> str:
    """What Sphinx calls a page of the folder of generated pages, which is ``top``."""
    return posixpath.normpath(posixpath.join(top, page))


def settings(config: Config, top: Path, formats: tuple[str, ...] = ("svg",)) -> Settings:
    """The configuration as the core takes it; relative paths are below ``top``."""
    try:
        limits = changed(config.perfguide_limits)
    except ValueError as error:
        raise ConfigError(f"perfguide_limits: {error}") from error
    own = config.perfguide_own_results
    given = json.loads(own) if own else config.perfguide_results
    results = _texts(given)
    return Settings(
        # As seen from here, so that a message names a path that a shell finds.
        results=tuple(p if is_url(p) else Path(os.path.relpath(top / p)) for p in results),
        benchmarks=(BUILT_IN, top / config.perfguide_benchmarks),
        output=top / config.perfguide_output,
        formats=formats,
        # As seen from here: a page may show it.
        acknowledged=Path(os.path.relpath(top / config.perfguide_acknowledged)),
        redirects=Path(os.path.relpath(top / config.perfguide_redirects)),
        limits=limits,
        boards=top / config.perfguide_boards,
        waivers=top / config.perfguide_waivers,
        compare=_pairs(config.perfguide_compare),
        store=top / config.perfguide_store,
        cache=top / config.perfguide_cache,
        releases=_texts(config.perfguide_releases),
        scheduler=config.perfguide_scheduler,
    )


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def picture_formats(app: Sphinx) -> tuple[str, ...]:
    """The formats of pictures that the pages of a build show."""
    return ("pdf",) if app.builder.format == "latex" else ("svg",)


def _pairs(pairs: Sequence[object]) -> tuple[tuple[str, str, str, str], ...]:
    """Pairs of releases, each four texts; raises :class:`ConfigError` for any other."""
    out = []
    for pair in pairs:
        try:
            out.append(msgspec.convert(pair, tuple[str, str, str, str]))
        except msgspec.ValidationError as error:
            raise ConfigError(
                f"perfguide_compare: {pair!r} is not four texts; "
                'write ("AM62X", "linux", "09.00", "09.02")'
            ) from error
    return tuple(out)


def warn(diagnostics: Iterable[Diagnostic], location: Any = None) -> None:
    """Findings as warnings, with their kind as subtype; notes as plain lines."""
    for finding in shortened(diagnostics):
        text = f"{finding.where()}: {finding.text()}"
        if finding.severity == "note":
            logger.verbose(text)
        else:
            logger.warning(text, type="perfguide", subtype=finding.kind, location=location)


def setup(app: Sphinx) -> None:
    """Register the values, with the types that Sphinx takes without a warning."""
    hints, defaults = get_type_hints(Values), Values()
    for name, hint in hints.items():
        either = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        types = tuple(get_origin(each) or each for each in either)
        app.add_config_value(name, getattr(defaults, name), "", types)
    app.connect("config-inited", _place_paths)
