"""Read points back from a picture, in the picture's coordinates."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"

Places = list[tuple[float, float]]


def paths(svg: bytes, group: str) -> list[Places]:
    """Return the subpaths of a line, mark or bar as corners."""
    root = ElementTree.fromstring(svg)
    (element,) = [g for g in root.iter(f"{SVG}g") if g.get("id") == group]
    path = element.find(f"{SVG}path")
    assert path is not None
    pieces: list[Places] = []
    for step, x, y in re.findall(r"([ML]) (-?[\d.]+) (-?[\d.]+)", path.get("d", "")):
        if step == "M":
            pieces.append([])
        pieces[-1].append((float(x), float(y)))
    return pieces


def corners(svg: bytes, group: str) -> Places:
    """Return all corners of a path."""
    return [corner for piece in paths(svg, group) for corner in piece]


def words(svg: bytes) -> list[str]:
    """Return every text in the picture."""
    root = ElementTree.fromstring(svg)
    return ["".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")]


def on_one_scale(data: list[float], places: list[float], scale: str = "linear") -> None:
    """Check that a linear scale maps all figures to their positions in the picture."""
    values = np.array(data)
    values = values if scale in ("linear", "reversed") else np.log(values)
    slope, shift = np.polyfit(values, np.array(places), 1)
    # If all figures were at one position, any scale would fit.
    assert abs(slope) > 0
    assert np.abs(slope * values + shift - np.array(places)).max() < 0.02
