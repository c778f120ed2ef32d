"""The values of ``conf.py``, and diagnostics as Sphinx warnings."""

from __future__ import annotations

import json
import os
import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ..bundles.decompress import changed
from ..bundles.object_store import is_url
from ..common.diagnostics import Diagnostic, shortened
from ..figures.dataset import BUILT_IN, Settings

logger = logging.getLogger(__name__)


PATHS = (
    *("results", "cache", "store", "benchmarks"),
    *("acknowledged", "redirects", "boards", "waivers"),
)
"""The values that are paths, without the prefix ``perfguide_``; the output folder is not
included."""


class Values(msgspec.Struct):
    """Each value with its default and meaning, as shown on the configuration page.

    Relative paths start from the folder of ``conf.py`` or, if they exist only in Sphinx's source
    folder, from there. A new value does not itself make Sphinx read pages again: it changes
    generated pages, and those that differ are read again."""

    perfguide_results: str | list[str] | tuple[str, ...] = msgspec.field(
        default_factory=lambda: ["results"]
    )
    """Folders or files of bundles, or URLs such as s3://bucket/folder."""
    perfguide_cache: str = "build/cache"
    """Folder of results that later builds use again."""
    perfguide_store: str = "build/store"
    """Folder of copies of bundles that were read from URLs."""
    perfguide_scheduler: str = ""
    """Address of a Dask scheduler whose workers make pages: tcp://host:8786."""
    perfguide_benchmarks: str = "source/benchmarks"
    """Folder of benchmark descriptions, besides those of the package."""
    perfguide_acknowledged: str = "source/acknowledged.toml"
    """File of accepted findings about figures, with reasons."""
    perfguide_redirects: str = "source/redirects.toml"
    """File of old addresses and the pages that replace them."""
    perfguide_output: str = "source"
    """Folder for the generated pages: Sphinx's source folder or one in it."""
    perfguide_releases: str | list[str] | tuple[str, ...] = []
    """Guides to show, each as SOC/os/release with ``*`` for any characters, or ``newest``; all if
    empty. Other guides are on no page, in no comparison and in no file of data."""
    perfguide_number_by_page: bool = False
    """True: the numbers of tables and figures begin at 1 on each page."""
    perfguide_boards: str = "source/boards.toml"
    """File of the old names of boards."""
    perfguide_waivers: str = "source/waivers.toml"
    """File of accepted changes."""
    perfguide_compare: list[Any] | tuple[Any, ...] = []
    """Pairs of releases to compare besides neighbours, as (SoC, system, old, new)."""
    perfguide_own_results: str = ""
    """A JSON list in place of ``perfguide_results``, which ``perfguide build`` sets."""
    perfguide_own_output: bool = False
    """True: the output folder has no other files, and may be emptied."""
    perfguide_pdf: str = ""
    """Guides to set as LaTeX documents: ``newest``, or SOC/os/release with ``*`` for any
    characters; if empty, ``latex_documents`` counts."""
    perfguide_csp: bool = False
    """True: pages have a strict Content-Security-Policy; see SECURITY.md."""
    perfguide_description: bool = True
    """True: generated pages have ``<meta name="description">``, unless another extension writes
    it."""
    perfguide_feed: bool = True
    """True: the site has a feed of releases and errata, ``feed.xml``, and one for each SoC, to
    which the heads of generated pages link."""
    perfguide_limits: dict[str, int] = {}
    """Limits of one upload by name; SECURITY.md lists them."""


def _relocate_paths(app: Sphinx, config: Config) -> None:
    """Rewrite paths so that they are relative to the source folder."""
    conf, source = Path(app.confdir), Path(app.srcdir)
    # With sphinx-build -c, conf.py is outside the source folder.
    if conf != source:
        for name in (f"perfguide_{part}" for part in PATHS):
            value = getattr(config, name)
            paths = [_relocated(path, conf, source) for path in _texts(value)]
            setattr(config, name, paths[0] if isinstance(value, str) else paths)
    inside = [os.path.relpath(top / config.perfguide_output, source) for top in (conf, source)]
    within = [path for path in inside if Path(path).parts[:1] != ("..",)]
    if not within:
        raise ConfigError(
            f"perfguide_output: “{config.perfguide_output}” is not in the source folder {source}, "
            "and Sphinx finds pages only there; name a folder in it"
        )
    config.perfguide_output = Path(within[0]).as_posix()


def _relocated(path: str, conf: Path, source: Path) -> str:
    if is_url(path) or Path(path).is_absolute():
        return path
    base = source if (source / path).exists() and not (conf / path).exists() else conf
    return os.path.relpath(base / path, source)


def page_name(top: str, page: str) -> str:
    """Return Sphinx's name of a page below ``top``, the folder of generated pages."""
    return posixpath.normpath(posixpath.join(top, page))


def page_uri(builder: Any, page: str, fragment: str = "") -> str:
    """Return the address of a page, or of an anchor on it, relative to the page being written."""
    uri: str = builder.get_relative_uri(builder.current_docname, page)
    # With the singlehtml builder, the address of a page is already a fragment.
    return f"{uri.partition('#')[0]}#{fragment}" if fragment else uri


def settings(config: Config, top: Path, formats: tuple[str, ...] = ("svg",)) -> Settings:
    """Return the settings of a build; relative paths start from ``top``. Raises
    :class:`ConfigError`."""
    try:
        limits = changed(config.perfguide_limits)
    except ValueError as error:
        raise ConfigError(f"perfguide_limits: {error}") from error
    given = config.perfguide_own_results
    results = _texts(json.loads(given) if given else config.perfguide_results)
    return Settings(
        # Paths in messages are relative to the working directory, ready for use in a shell.
        results=tuple(p if is_url(p) else Path(os.path.relpath(top / p)) for p in results),
        benchmarks=(BUILT_IN, top / config.perfguide_benchmarks),
        output=top / config.perfguide_output,
        formats=formats,
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


def _texts(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def picture_formats(app: Sphinx) -> tuple[str, ...]:
    """Return the picture formats that the pages of a build need."""
    return ("pdf",) if app.builder.format == "latex" else ("svg",)


def _pairs(pairs: Sequence[object]) -> tuple[tuple[str, str, str, str], ...]:
    """Return pairs of releases as four strings each. Raises :class:`ConfigError`."""
    out = []
    for pair in pairs:
        try:
            out.append(msgspec.convert(pair, tuple[str, str, str, str]))
        except msgspec.ValidationError as error:
            raise ConfigError(
                f"perfguide_compare: {pair!r} is not a pair of releases; "
                'write ("AM62X", "linux", "09.00", "09.02")'
            ) from error
    return tuple(out)


def warn(diagnostics: Iterable[Diagnostic], location: Any = None) -> None:
    """Log diagnostics as warnings with their kind as subtype, and notes as verbose messages."""
    for finding in shortened(diagnostics):
        text = f"{finding.where()}: {finding.text()}"
        # A note is not a fault, so it must not fail a build with -W.
        if finding.severity == "note":
            logger.verbose(text)
        else:
            logger.warning(text, type="perfguide", subtype=finding.kind, location=location)


def warn_at(
    directive: SphinxDirective, kind: str, origin: str, message: str, hint: str
) -> list[nodes.Node]:
    """Warn about a directive, and return no nodes, for the directive to return."""
    warn([Diagnostic(kind, origin, message, hint)], location=directive.get_location())
    return []


def setup(app: Sphinx) -> None:
    """Register the values with types that Sphinx accepts without warnings."""
    hints, defaults = get_type_hints(Values), Values()
    for name, hint in hints.items():
        either = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        # Sphinx checks values with isinstance(), which accepts list but not list[str].
        types = tuple(get_origin(option) or option for option in either)
        app.add_config_value(name, getattr(defaults, name), "", types)
    app.connect("config-inited", _relocate_paths)
