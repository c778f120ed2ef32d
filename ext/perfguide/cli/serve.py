"""The command ``serve``: the site on this machine, built again whenever a file changes."""

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
from . import projects, shared

HOST = "127.0.0.1"
"""The address that is served: this machine alone."""

NOTICE_MS = 200
"""Milliseconds after which the folder is known to be watched."""


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    parser = add(
        "serve",
        "show the site on this machine, and build it again when a file changes",
        "Builds as perfguide build does, so a page is the old one or the new one, and never a "
        "part. Reload the page to see what is new. Ends with Ctrl+C.",
    )
    parser.add_argument(
        "--port", type=int, default=8000, metavar="N", help="default: 8000; 0 takes a free one"
    )
    parser.add_argument(
        "--results",
        action="append",
        default=[],
        metavar="PATH",
        help="folder or file of bundles; may be given more than once; default: as conf.py says",
    )
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    extras.require("serve")
    if not Path("conf.py").is_file():
        print(f"perfguide: {projects.no_project(Path())}", file=sys.stderr)
        return shared.USAGE
    site = Path("build/html")
    build = [sys.executable, "-m", "perfguide", "build"]
    build += [word for path in options.results for word in ("--results", path)]
    with ThreadingHTTPServer((HOST, options.port), partial(_Handler, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            for is_first in _changes(options.results):
                status = subprocess.run(build, check=False).returncode
                if is_first:
                    print(f"The site is on http://{HOST}:{server.server_port}", flush=True)
                    if status:
                        print("It will be built when a file changes", flush=True)
        except KeyboardInterrupt:
            pass  # it is how the command is ended
        finally:
            server.shutdown()
    return shared.FINE


def _changes(results: list[str]) -> Iterator[bool]:
    """Yield ``True`` as soon as changes are noticed, and ``False`` whenever files have changed."""
    from watchfiles import DefaultFilter, watch

    paths = [Path(), *(Path(path) for path in results if not is_url(path))]
    # What a build writes is of no interest. The pages, whose folder the project chooses, change with
    # their sources alone, and the build after that one finds nothing to do.
    ignored = DefaultFilter(ignore_dirs=(*DefaultFilter.ignore_dirs, "build"))
    notices = watch(
        *paths,
        watch_filter=ignored,
        rust_timeout=NOTICE_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
    )
    next(notices)  # from here on no change is missed
    yield True
    for changes in notices:
        if changes:
            yield False


class _Handler(SimpleHTTPRequestHandler):
    """Serves the site. Nothing is kept by the browser: the next build changes it."""

    def end_headers(self) -> None:
        """Add a header to each answer."""
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: Any) -> None:
        """Print no line for each request."""
