"""Old addresses and the pages they redirect to, from a hand-written file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..common import toml_lists
from ..common.diagnostics import Diagnostic

_ADDRESS = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*(?:/[A-Za-z0-9_][A-Za-z0-9._-]*)*")
_SECTION = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")
TABLE = "moved"
KIND = "redirect"


@dataclass(frozen=True, slots=True)
class Redirect:
    """An old page, and the page and section (possibly empty) that replace it."""

    old: str
    new: str
    section: str


def load(
    path: Path | None, is_page: Callable[[str], bool]
) -> tuple[list[Redirect], list[Diagnostic]]:
    """Return the valid entries of a file, and diagnostics for the others.

    ``is_page`` returns whether an address below the output folder is a page. A missing or
    unreadable file has no entries; an unreadable one yields a diagnostic.
    """
    if path is None:
        return [], []
    document, _, faults = toml_lists.document(path, KIND)
    hint = f'write below [{TABLE}]: "guides/OLD/index" = "guides/NEW/index"'
    wrong = [(name, f"“{name}” has no meaning here") for name in document if name != TABLE]
    moved = document.get(TABLE, {})
    if not isinstance(moved, dict):
        wrong, moved = [*wrong, (TABLE, "is not a table")], {}
    faults += [_fault(path, f"/{name}", message, hint) for name, message in wrong]
    redirects: list[Redirect] = []
    for old, new in moved.items():
        if fault := _wrong(old, new, moved, is_page):
            # JSON pointers escape a slash within a name as “~1”.
            faults.append(_fault(path, f"/{TABLE}/{old.replace('/', '~1')}", *fault))
        else:
            page, _, section = new.partition("#")
            redirects.append(Redirect(old, page, section))
    return redirects, faults


def _wrong(
    old: str, new: object, moved: dict[str, object], is_page: Callable[[str], bool]
) -> tuple[str, str] | None:
    """Return the fault of an entry and how to fix it, or ``None``."""
    form = "write an address below the output folder, such as guides/AM62X/index, without .html"
    if not isinstance(new, str):
        return "the new address is not a string", form
    page, sign, section = new.partition("#")
    for written, address in ((old, old), (new, page)):
        if not _ADDRESS.fullmatch(address) or address.endswith((".html", ".rst")):
            return f"“{written}” is not the address of a page", form
    if sign and not _SECTION.fullmatch(section):
        return f"“{section}” is not the address of a section", "write letters, digits and hyphens"
    if is_page(old):
        return f"there is a page “{old}”", "remove this entry, or rename the page"
    # Chains of redirects are slow, and may be circular.
    if page in moved:
        return f"“{page}” redirects in turn", f"redirect straight to “{moved[page]}”"
    if not is_page(page):
        return f"there is no page “{page}”", "redirect to a page of this site"
    return None


def _fault(path: Path, pointer: str, message: str, hint: str) -> Diagnostic:
    hint = f"{hint}; until it is fixed, this address is not redirected"
    return Diagnostic(KIND, str(path), message, hint, pointer)
