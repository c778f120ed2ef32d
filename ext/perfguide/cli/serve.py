"""The command ``serve``: shows the site on this machine and rebuilds it on each change."""

from __future__ import annotations

import argparse
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ..bundles.object_store import is_url
from ..common import extras
from . import shared

HOST = "127.0.0.1"
"""The address to serve on: this machine only."""

NOTICE_MS = 200
"""Milliseconds after which the folder is certainly being watched."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "serve",
        "Builds like perfguide build, so every page is always complete. Reload a page to see its new version. Stop with Ctrl+C.",
    )
    parser.add_argument(
        "--port", type=int, default=8000, metavar="N", help="default: 8000; 0 picks a free one"
    )
    shared.add_own_results(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    extras.require("serve")
    if not Path("conf.py").is_file():
        return shared.fail(f"perfguide: {shared.no_project(Path())}")
    site = Path("build/html")
    build = [sys.executable, "-m", "perfguide", "build"]
    build += [word for path in options.results for word in ("--results", path)]
    with ThreadingHTTPServer((HOST, options.port), partial(_Handler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            for is_first in _changes(options.results):
                status = subprocess.run(build, check=False).returncode
                if is_first:
                    print(f"The site is at http://{HOST}:{server.server_port}", flush=True)
                    if status:
                        print("It will be rebuilt when a file changes", flush=True)
        except KeyboardInterrupt:
            pass  # the usual way to end the command
        finally:
            server.shutdown()
    return shared.OK


def _changes(results: list[str]) -> Iterator[bool]:
    """Yield ``True`` once changes are being watched, then ``False`` whenever files have changed."""
    from watchfiles import DefaultFilter, watch

    paths = [Path(), *(Path(path) for path in results if not is_url(path))]
    # A build's own output is ignored. Generated pages, whose folder the project chooses, are not,
    # but they only change with their sources, and the next build then finds nothing to do.
    ignored = DefaultFilter(ignore_dirs=(*DefaultFilter.ignore_dirs, "build"))
    notices = watch(
        *paths,
        watch_filter=ignored,
        rust_timeout=NOTICE_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
    )
    next(notices)  # no change after this is missed
    yield True
    for changes in notices:
        # A notice without changes only means that time has passed.
        if changes:
            yield False


class _Handler(SimpleHTTPRequestHandler):
    """Serves the site without caching, since the next build changes it."""

    def end_headers(self) -> None:
        """Add a header to each response."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Suppress the line for each request."""
