"""Browser pages that tests reuse, because each new one starts a process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page
from playwright.sync_api import Error as BrowserError


def unfolded(page: Page) -> Page:
    """Return the page with all folds opened, as by a reader who looks for a table."""
    folded = "document.querySelectorAll('details:is(.perf-fold, .perf-use)')"
    page.evaluate(f"{folded}.forEach(d => {{ d.open = true; }})")
    return page


@dataclass
class Heard:
    """Console messages and requests of a page since it was opened."""

    messages: list[str] = field(default_factory=list)
    """All console messages, and the errors of its scripts."""
    complaints: list[str] = field(default_factory=list)
    """The errors and warnings among them."""
    requests: set[str] = field(default_factory=set)


@dataclass
class _Window:
    kind: str
    page: Page
    heard: Heard


@dataclass
class Windows:
    """Opens addresses in pages that belong to a test until ``release``."""

    browser: Browser
    _free: dict[str, list[_Window]] = field(default_factory=dict)
    _used: list[_Window] = field(default_factory=list)

    def open(
        self,
        url: str,
        width: int = 1280,
        height: int = 800,
        *,
        scheme: Any = "light",
        motion: Any = "no-preference",
        until: Any = "load",
        **options: Any,
    ) -> Page:
        """Return a page in the state of a new one, once it has loaded up to ``until``. ``options``
        are those of a Playwright context."""
        # A context's options cannot be changed later, so there are separate pages for them.
        kind = repr(sorted(options.items()))
        free = self._free.setdefault(kind, [])
        window = free.pop() if free else self._new(kind, options)
        self._used.append(window)
        page, heard = window.page, window.heard
        # These can be reset for each test, and need no separate page.
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion=motion, media="screen")
        # Before the address is opened, so that a test does not hear the previous one.
        heard.messages.clear()
        heard.complaints.clear()
        heard.requests.clear()
        page.goto(url, wait_until=until)
        return page

    def _new(self, kind: str, options: dict[str, Any]) -> _Window:
        context = self.browser.new_context(**options)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        context.set_default_timeout(15_000)
        page, heard = context.new_page(), Heard()

        def hear(message: ConsoleMessage) -> None:
            heard.messages.append(message.text)
            if message.type in ("error", "warning"):
                heard.complaints.append(message.text)

        def fail(error: BrowserError) -> None:
            heard.messages.append(str(error))
            heard.complaints.append(str(error))

        page.on("console", hear)
        page.on("pageerror", fail)
        page.on("request", lambda request: heard.requests.add(request.url))
        return _Window(kind, page, heard)

    def heard(self, page: Page) -> Heard:
        """Return the console messages and requests of a page since it was opened."""
        return next(window.heard for window in self._used if window.page is page)

    def release(self) -> list[str]:
        """Take all pages back and clear them; return their errors."""
        complaints: list[str] = []
        while self._used:
            window = self._used.pop()
            complaints += window.heard.complaints
            try:
                window.page.evaluate("localStorage.clear(), sessionStorage.clear()")
                window.page.goto("about:blank")
            except BrowserError:  # a test left it in a state that it cannot recover from
                window.page.context.close()
            else:
                self._free[window.kind].append(window)
        return complaints
