"""Configuration values, and findings as Sphinx warnings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

from ..bundles.decompress import changed
from ..bundles.object_store import is_url
from ..common.diagnostics import Diagnostic
from ..figures.dataset import BUILT_IN, Settings

logger = logging.getLogger(__name__)

# name, default, types, help. Nothing here re-reads pages when it changes: what
# a value changes is the generated pages, and those that differ are read again.
VALUES: tuple[tuple[str, Any, tuple[type, ...], str], ...] = (
    (
        "perfguide_results",
        ["results"],
        (list, tuple, str),
        "folders or files of bundles, or URLs such as s3://bucket/folder",
    ),
    (
        "perfguide_cache",
        "build/cache",
        (str,),
        "folder that keeps what spares work in later builds",
    ),
    ("perfguide_store", "build/store", (str,), "folder that keeps what was read at URLs"),
    (
        "perfguide_scheduler",
        "",
        (str,),
        "address of a Dask scheduler whose workers read bundles and draw: tcp://host:8786",
    ),
    (
        "perfguide_benchmarks",
        "source/benchmarks",
        (str,),
        "folder of benchmark descriptions, beside those that the package carries",
    ),
    (
        "perfguide_acknowledged",
        "source/acknowledged.toml",
        (str,),
        "file of findings about figures that are accepted, with reasons",
    ),
    (
        "perfguide_redirects",
        "source/redirects.toml",
        (str,),
        "file of old addresses and the pages that they lead on to",
    ),
    ("perfguide_output", "source", (str,), "folder for the generated pages"),
    (
        "perfguide_number_by_page",
        False,
        (bool,),
        "whether the numbers of tables and figures begin anew on each page",
    ),
    ("perfguide_boards", "source/boards.toml", (str,), "file of the old names of boards"),
    ("perfguide_waivers", "source/waivers.toml", (str,), "file of accepted changes"),
    (
        "perfguide_compare",
        [],
        (list, tuple),
        "pairs of releases to compare beside neighbours, as (SoC, system, old, new)",
    ),
    (
        "perfguide_own_output",
        False,
        (bool,),
        "whether the output folder holds nothing else, and may be emptied",
    ),
    (
        "perfguide_pdf",
        "",
        (str,),
        "guides that LaTeX makes a document of each: ``newest``, or SOC/os/release with ``*`` "
        "for any characters; left out: what ``latex_documents`` says",
    ),
    (
        "perfguide_csp",
        False,
        (bool,),
        "whether pages carry a strict Content-Security-Policy; see SECURITY.md",
    ),
    ("perfguide_profile", False, (bool,), "whether a build tells where its time went"),
    (
        "perfguide_badges",
        {},
        (dict,),
        "badges to write: a name, and the query of the figure that it shows",
    ),
    (
        "perfguide_limits",
        {},
        (dict,),
        "limits of one upload by name; SECURITY.md lists them",
    ),
)


def settings(config: Config, top: Path, formats: tuple[str, ...] = ("svg",)) -> Settings:
    """The configuration as the core takes it; relative paths are below ``top``."""
    try:
        limits = changed(config.perfguide_limits)
    except ValueError as error:
        raise ConfigError(f"perfguide_limits: {error}") from error
    given = config.perfguide_results
    results = [given] if isinstance(given, str) else list(given)
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
        scheduler=config.perfguide_scheduler,
    )


def picture_formats(app: Sphinx) -> tuple[str, ...]:
    """The formats of pictures that the pages of a build show."""
    return ("pdf",) if app.builder.format == "latex" else ("svg",)


def _pairs(given: Sequence[Any]) -> tuple[tuple[str, str, str, str], ...]:
    """Pairs of releases, each four texts; raises :class:`ConfigError` for any other."""
    out = []
    for pair in given:
        texts = isinstance(pair, list | tuple) and all(isinstance(part, str) for part in pair)
        if not texts or len(pair) != 4:
            raise ConfigError(
                f"perfguide_compare: {pair!r} is not four texts; "
                'write ("AM62X", "linux", "09.00", "09.02")'
            )
        soc, os_, old, new = pair
        out.append((soc, os_, old, new))
    return tuple(out)


def warn(diagnostics: Iterable[Diagnostic], location: Any = None) -> None:
    """Findings as warnings, with their kind as subtype; notes as plain lines."""
    for finding in diagnostics:
        if finding.severity == "note":
            logger.verbose("%s: %s", finding.where(), finding.text())
        else:
            logger.warning(
                "%s: %s",
                finding.where(),
                finding.text(),
                type="perfguide",
                subtype=finding.kind,
                location=location,
            )


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the configuration values."""
    for name, default, types, text in VALUES:
        app.add_config_value(name, default, "", types, text)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
