"""A built site on a local server, with the headers that SECURITY.md recommends."""

from __future__ import annotations

import functools
import http.server
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perfguide.sphinxext.theme import POLICY


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        # A line per request would bury the output of the tests.
        pass

    def do_GET(self) -> None:
        if self.path == "/favicon.ico":  # browsers request it on their own
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()


class _Strict(_Quiet):
    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", f"{POLICY}; frame-ancestors 'none'")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()


class _Slow(_Strict):
    """Sends a page in parts, as over a slow connection: it is shown before it is complete."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if path.suffix != ".html" or not path.is_file():
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        for part in re.split(
            rb"(?<=</h1>)|(?=<figure|<table|</main>)", path.read_bytes(), maxsplit=4
        ):
            self.wfile.write(part)
            time.sleep(0.25)


@contextmanager
def served(site: Path, slow: bool = False) -> Iterator[str]:
    """Yield the address of the site while it is served. With ``slow``, pages come in
    parts."""
    handler = functools.partial(_Slow if slow else _Strict, directory=str(site))
    # Any free port, because tests run side by side.
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
