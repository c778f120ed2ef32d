"""The role ``perf``: a figure in prose, looked up and checked at each build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from functools import cached_property
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxRole
from sphinx.util.nodes import make_refnode

from ..common.diagnostics import Diagnostic
from ..export import badge
from ..export.quoted import Figures, Quoted
from ..figures.dataset import Holdings
from . import cell_links
from .config import warn

KIND = "perf-figure"

SEEN = "perfguide_quoted_from"
"""The attribute of an environment with the hash of what its pages' figures were looked up in."""


class PerfFigure(SphinxRole):
    """A figure with its unit, which leads to its section of the guide."""

    def __init__(self, inline: Inline) -> None:
        super().__init__()
        self.inline = inline

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Make the node; a query that names not just one figure shows as it stands."""
        found = self.inline.look_up(self.text)
        shown_on(self.env).setdefault(self.env.docname, {})[self.text] = repr(found)
        if isinstance(found, Diagnostic):
            warn([found], location=self.get_location())
            return [nodes.literal(self.text, self.text)], []
        text = nodes.inline(found.text, found.text, classes=["perf-quoted"])
        text["support_smartquotes"] = False
        reference = addnodes.pending_xref(
            "",
            text,
            refdomain="",
            reftype=KIND,
            refexplicit=True,
            refwarn=True,
            reftarget=f"{cell_links.address(found.place.table)}{found.place.row}",
            refdoc=self.env.docname,
        )
        reference["page"] = f"{self.config.perfguide_output}/{found.place.page}"
        reference["words"] = found.words
        return [reference], []


class Inline:
    """What the role looks figures up in. Processes that Sphinx starts inherit it."""

    def __init__(self) -> None:
        self._read: Callable[[], Holdings] | None = None
        self._inputs = ""

    def hold(self, read: Callable[[], Holdings], inputs: str) -> None:
        """Take the holdings of this build, and a hash of what they were made from, which is
        empty where it is not known."""
        self._read, self._inputs = read, inputs
        vars(self).pop("_figures", None)

    @cached_property
    def _figures(self) -> Figures | None:
        return Figures(self._read()) if self._read else None

    def look_up(self, text: str) -> Quoted | Diagnostic:
        """The figure that a query names, or what is wrong with the query."""
        if self._figures is None:
            return Diagnostic("figure", text, "no figures were read", "see what came before")
        return self._figures.find(text)

    def outdated(
        self,
        _app: Sphinx,
        env: BuildEnvironment,
        _added: Set[str],
        _changed: Set[str],
        removed: Set[str],
    ) -> Sequence[str]:
        """The pages that would now show another figure."""
        if self._inputs and vars(env).get(SEEN) == self._inputs:
            return []
        vars(env)[SEEN] = self._inputs
        return sorted(
            docname
            for docname, shown in shown_on(env).items()
            if docname not in removed
            and any(repr(self.look_up(text)) != told for text, told in shown.items())
        )

    def badges(self, app: Sphinx, exception: Exception | None) -> None:
        """Write the badges that the configuration names, as ``badges/NAME.svg``."""
        if exception is not None or app.builder.format != "html" or app.builder.name == "epub":
            return
        for name, asked in sorted(app.config.perfguide_badges.items()):
            if not badge.is_name(name):
                hint = "letters, digits, “.”, “_” and “-”, with a letter or digit first"
                warn([Diagnostic("figure", name, "is no name for a badge", hint)])
                continue
            found = self.look_up(asked)
            if isinstance(found, Diagnostic):
                warn([found], location="perfguide_badges")
                continue
            target = Path(app.outdir, "badges", f"{name}.svg")
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(badge.svg(found.label, found.text, found.words))


def shown_on(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """For each page its queries, and what each gave when the page was read."""
    held: dict[str, dict[str, str]] = vars(env).setdefault("perfguide_quoted", {})
    return held


def _purge(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    shown_on(env).pop(docname, None)


def _merge(
    _app: Sphinx, env: BuildEnvironment, docnames: Iterable[str], other: BuildEnvironment
) -> None:
    there = shown_on(other)
    shown_on(env).update({name: there[name] for name in docnames if name in there})


def _resolve(
    app: Sphinx, _env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.Element
) -> nodes.Element | None:
    if node["reftype"] != KIND:
        return None
    return make_refnode(
        app.builder, node["refdoc"], node["page"], node["reftarget"], content, node["words"]
    )


def setup(app: Sphinx) -> Inline:
    """Register the role; what it returns has to be given the holdings of each build."""
    inline = Inline()
    app.add_role("perf", PerfFigure(inline))
    app.connect("env-get-outdated", inline.outdated)
    app.connect("env-purge-doc", _purge)
    app.connect("env-merge-info", _merge)
    app.connect("missing-reference", _resolve)
    app.connect("build-finished", inline.badges, priority=400)
    return inline
