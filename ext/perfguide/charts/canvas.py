"""A canvas on which a picture is put by numbers: lines, shapes and words at places in points.

The axes of matplotlib lay out and measure each text several times and make an object of each tick:
55 of the 65 ms of a picture. Here only its renderers for SVG and PDF are used; where something
stands, whoever draws has worked out.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Literal, cast

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font, LoadFlags
from matplotlib.markers import MarkerStyle
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, IdentityTransform, Transform

from . import palette

STYLE: dict[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "perfguide",
    # Outlines of the letters; to cut a font of its own for each picture takes twelve times as long.
    "pdf.fonttype": 3,
    "path.simplify": False,
    "font.sans-serif": ["DejaVu Sans", "Arial", "Helvetica", "sans-serif"],
}

MEASURE = "DejaVu Sans"
"""The font by which texts are measured; it comes with matplotlib."""

METADATA: dict[str, dict[str, None]] = {
    "svg": dict.fromkeys(("Date", "Format", "Type", "Creator")),
    "pdf": {"CreationDate": None},
}
"""What is left out of a file: the moment of its drawing, and of the small files what all say."""

Place = tuple[float, float]
"""Points from the left and from the bottom."""

Dashes = tuple[float, ...]
"""Lengths of strokes and gaps as multiples of the width of the line; none for an unbroken one."""

Align = Literal["left", "center", "right"]
SHARE: dict[Align, float] = {"left": 0.0, "center": 0.5, "right": 1.0}

Renderer = RendererBase
Step = Callable[[Renderer], None]

HERE = IdentityTransform()


def width(words: str, size: float, bold: bool = False) -> float:
    """The width of a text in points."""
    return size * sum(_advance(letter, bold) for letter in words)


@cache
def _advance(letter: str, bold: bool) -> float:
    """The width of a letter, as a share of the size of its font."""
    font, code = _font(bold), ord(letter)
    if not font.get_char_index(code):
        return 0.6
    return font.load_char(code, flags=LoadFlags.NO_SCALE).horiAdvance / font.units_per_EM


@cache
def _font(bold: bool) -> FT2Font:
    return FT2Font(findfont(FontProperties(family=MEASURE, weight="bold" if bold else "normal")))


@cache
def _properties(size: float, bold: bool) -> FontProperties:
    return FontProperties(family="sans-serif", size=size, weight="bold" if bold else "normal")


@cache
def _marker(shape: str, size: float) -> tuple[Path, Transform]:
    style = MarkerStyle(shape)
    return style.get_path(), style.get_transform() + Affine2D().scale(size)


class Canvas:
    """What is drawn, in the order in which it is asked for. Places are in points from the
    lower left corner."""

    def __init__(self, across: float, high: float) -> None:
        self.across, self.high = across, high
        self._steps: list[Step] = []
        self._anchor = Text(rotation_mode="anchor", transform=HERE)

    @contextmanager
    def group(self, name: str) -> Iterator[None]:
        """What is drawn within stands in a group of this name in an SVG."""
        self._steps.append(lambda renderer: renderer.open_group("mark", name))
        yield
        self._steps.append(lambda renderer: renderer.close_group("mark"))

    def line(
        self,
        places: Iterable[Place | None],
        colour: str,
        thick: float,
        dashes: Dashes | None = (),
    ) -> None:
        """A line through places; ``None`` is a gap. Nothing is drawn where ``dashes`` is ``None``."""
        path = _path(places)
        if dashes is None or path is None:
            return
        pattern = [each * thick for each in dashes] or None
        cap: Any = "butt" if dashes else "projecting"

        def step(renderer: Renderer) -> None:
            gc = _pen(renderer, colour, thick)
            gc.set_capstyle(cap)
            gc.set_dashes(0, pattern)
            renderer.draw_path(gc, path, HERE)
            gc.restore()

        self._steps.append(step)

    def strokes(self, ends: Sequence[tuple[Place, Place]], colour: str, thick: float) -> None:
        """Many straight strokes as one path."""
        places = [place for one, other in ends for place in (None, one, other)]
        path = _path(places)
        if path is None:
            return

        def step(renderer: Renderer) -> None:
            gc = _pen(renderer, colour, thick)
            gc.set_capstyle("butt")
            renderer.draw_path(gc, path, HERE)
            gc.restore()

        self._steps.append(step)

    def marks(
        self, places: Sequence[Place], shape: str, size: float, colour: str, alpha: float = 1.0
    ) -> None:
        """A mark of a shape at each place."""
        if not places:
            return
        path, (mark, scaled) = Path(places), _marker(shape, size)

        def step(renderer: Renderer) -> None:
            gc = _pen(renderer, colour, 1.0 if alpha == 1 else 0.0)
            gc.set_joinstyle("miter")
            gc.set_alpha(alpha)
            renderer.draw_markers(gc, mark, scaled, path, HERE, to_rgba(colour, alpha))
            gc.restore()

        self._steps.append(step)

    def box(
        self,
        corner: Place,
        other: Place,
        fill: str,
        *,
        edge: float = 0.0,
        hatch: str = "",
        alpha: float = 1.0,
    ) -> None:
        """A filled rectangle between two corners, with a white edge and hatch."""
        (x0, y0), (x1, y1) = corner, other
        path = Path([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], closed=True)

        def step(renderer: Renderer) -> None:
            gc = _pen(renderer, "white", edge)
            gc.set_alpha(alpha)
            if hatch:
                gc.set_hatch(hatch)
                gc.set_hatch_color(to_rgba("white"))
                gc.set_hatch_linewidth(0.8)
            renderer.draw_path(gc, path, HERE, to_rgba(fill))
            gc.restore()

        self._steps.append(step)

    def words(
        self,
        words: str,
        at: Place,
        size: float,
        *,
        align: Align = "left",
        angle: int = 0,
        bold: bool = False,
        colour: str = palette.INK,
    ) -> None:
        """One line of text. Its base line runs through ``at``; ``angle`` is in degrees."""
        if not words.strip():
            return
        back, turned = SHARE[align] * width(words, size, bold), math.radians(angle)
        # SVG is given the place itself and how the text stands to it, since a reader's font can
        # be another one.
        begin = (at[0] - back * math.cos(turned), at[1] - back * math.sin(turned))
        properties = _properties(size, bold)

        def step(renderer: Renderer) -> None:
            gc = _pen(renderer, colour, 1.0)
            self._anchor.set_position(at)
            self._anchor.set_horizontalalignment(align)
            x, y = begin[0], self.high - begin[1] if renderer.flipy() else begin[1]
            renderer.draw_text(gc, x, y, words, properties, angle, False, self._anchor)
            gc.restore()

        self._steps.append(step)

    def file(self, form: str) -> bytes:
        """The bytes of the picture as ``svg`` or ``pdf``."""
        buffer = io.BytesIO()
        with mpl.rc_context(cast(Any, STYLE)):
            figure = Figure(figsize=(self.across / 72, self.high / 72), facecolor="white")
            figure.add_artist(_Steps(self._steps))
            figure.savefig(buffer, format=form, metadata=METADATA[form])
        return buffer.getvalue()


class _Steps(Artist):
    """All that is drawn, as the one thing in a figure."""

    def __init__(self, steps: Sequence[Step]) -> None:
        super().__init__()
        self._steps = steps

    def draw(self, renderer: Renderer) -> None:
        """Draw all in its order."""
        for step in self._steps:
            step(renderer)


def _pen(renderer: Renderer, colour: str, thick: float) -> GraphicsContextBase:
    gc = renderer.new_gc()
    gc.set_foreground(colour)
    gc.set_linewidth(thick)
    return gc


def _path(places: Iterable[Place | None]) -> Path | None:
    """A path through places, broken at gaps."""
    corners, codes = list[Place](), list[int]()
    code = int(Path.MOVETO)
    for place in places:
        if place is None:
            code = int(Path.MOVETO)
        else:
            corners.append(place)
            codes.append(code)
            code = int(Path.LINETO)
    return Path(corners, codes) if corners else None
