"""The pictures of charts: on tabs in HTML, and one after another elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from ..charts import gallery
from .file_links import line_below, perf_use
from .screen_nodes import no_visitor
from .tabs import tab_set


class perf_picture(nodes.General, nodes.Element):
    """One picture of a chart; ``label`` is the name of its tab, and ``size`` its width and height
    in CSS pixels, or ``None`` if there is no SVG file."""


def _sized(image: nodes.image, srcdir: Path) -> tuple[int, int] | None:
    """Return a drawn picture's width and height in CSS pixels, or ``None`` if there is no SVG
    file."""
    candidates: dict[str, str] = image.get("candidates", {})
    # A picture named with its suffix has no other format.
    name = candidates.get("image/svg+xml") or candidates.get("*", "")
    return gallery.size(srcdir / name) if name.endswith(".svg") else None


def for_html(figure: nodes.figure, has_tabs: bool, srcdir: Path) -> None:
    """Put the pictures of a chart on tabs, or one after another under their names."""
    pictures = [child for child in figure.children if isinstance(child, perf_picture)]
    for picture in pictures:
        for image in picture.findall(nodes.image):
            if size := picture["size"] or _sized(image, srcdir):
                # A known size keeps the page from shifting when the file arrives.
                image["width"], image["height"] = map(str, size)
                # On paper, a tall chart with many rows gets a page, or it would be too small to
                # read.
                image["classes"] += ["perf-tall"] if size[1] > size[0] else []
    if line := line_below(figure):
        figure += perf_use("", *line, summary="CSV, sources")
    if "perf-small" in figure["classes"]:
        container = nodes.container(classes=["perf-pictures"])
        for picture in pictures:
            figure.remove(picture)
            name = nodes.paragraph("", picture["label"], classes=["perf-picture-name"])
            container += nodes.container("", name, picture[0], classes=["perf-picture"])
        figure.insert(0, container)
        return
    if len(pictures) > 1 and has_tabs:
        named = [(picture["label"], picture.children) for picture in pictures]
        label = next(c.astext() for c in figure.children if isinstance(c, nodes.caption))
        for picture in pictures:
            figure.remove(picture)
        figure.insert(0, tab_set(named, label, (figure["ids"] or ["chart"])[0]))
        return
    spread(figure, pictures)


def spread(figure: nodes.figure, pictures: Sequence[nodes.Element]) -> None:
    """Put the pictures one after another under their names.

    All but the last move in front of the figure, which on paper cannot be longer than a page.
    """
    for picture in pictures:
        image = picture[0]
        assert isinstance(image, nodes.image)  # the directive makes no other node
        if "perf-small" in figure["classes"]:
            image["width"] = "48%"
        title = []
        if len(pictures) > 1:
            name = picture["label"]
            title = [nodes.paragraph("", "", nodes.strong(name, name))]
        if picture is pictures[-1]:
            for node in title:
                figure.insert(figure.index(picture), node)
            picture.replace_self(picture.children)
        else:
            figure.remove(picture)
            figure.parent.insert(figure.parent.index(figure), [*title, *picture.children])


def setup(app: Sphinx) -> None:
    """Register the node."""
    app.add_node(perf_picture, latex=(no_visitor, None), text=(no_visitor, None))
