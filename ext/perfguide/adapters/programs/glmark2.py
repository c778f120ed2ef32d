"""glmark2: its score over all scenes.

Layout: ``do_benchmark`` in main.cpp and gl-state and canvas for the head. The score is a
whole number. The back end is the one that the program's name or its head tells
(``glmark2-es2-drm``, ``wayland``); where neither does, ``backend`` has to be stated.
"""

from __future__ import annotations

import re

from .. import Context, Format, Reading, Scalar
from ..log_lines import holds, lines
from ..log_sheet import Sheet

EXAMPLE = """\
=======================================================
    glmark2 2023.01
=======================================================
[build] use-vbo=false: FPS: 1421 FrameTime: 0.704 ms
=======================================================
                                  glmark2 Score: 1394\x20
=======================================================
"""

# The space behind the score shows that none of its digits was cut.
_SCORE = re.compile(r"[ \t]+glmark2 Score: ([0-9]{1,9}) [ \t]*")
_VERSION = re.compile(r"[ \t]+glmark2 ([0-9]{4}\.[0-9]{2}[!-~]{0,20})[ \t]*")
_SCENE = re.compile(r"\[[a-z0-9-]{1,40}\] [!-~]{1,200}:.*")
_PROGRAM = re.compile(r"\bglmark2(?:-es2)?-(drm|gbm|wayland|x11)\b", re.IGNORECASE)
_BACKENDS = {"drm": "DRM", "gbm": "DRM", "wayland": "Wayland", "x11": "X11"}
_ERROR = re.compile(r"Error: .*")


def read(data: bytes, context: Context) -> Reading:
    """The score of each run."""
    sheet = Sheet(context)
    backend = ""
    started = 0
    for line in lines(data):
        text = line.text
        if found := _SCORE.fullmatch(text):
            params: dict[str, Scalar] = {"backend": backend} if backend else {}
            sheet.figure(line.number, "glmark2", "score", "score", float(found[1]), params)
            started = 0
        elif "glmark2 Score" in text:
            sheet.broken(line.number, "the line of the score is cut or damaged")
            started = 0
            continue
        elif found := _VERSION.fullmatch(text):
            _unfinished(started, sheet)
            started = line.number
            sheet.fact("tools.glmark2", found[1])
        elif found := _PROGRAM.search(text):
            backend = _BACKENDS[found[1].lower()]
        elif started and _ERROR.fullmatch(text):
            sheet.failed(line.number, f"glmark2: {text[:200]}")
        elif not (started and _SCENE.fullmatch(text)):
            continue
        sheet.understood(line.number)
    _unfinished(started, sheet)
    return sheet.reading()


def _unfinished(started: int, sheet: Sheet) -> None:
    if started:
        sheet.broken(started, "this run of glmark2 has no score: it was cut or it failed")


FORMAT = Format(
    name="glmark2",
    title="glmark2: the score",
    example=EXAMPLE,
    recognises=holds(rb"^ +glmark2 (?:Score: [0-9]|20[0-9]{2}\.[0-9]{2})"),
    read=read,
)
