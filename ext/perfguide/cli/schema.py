"""The command ``schema``: the JSON Schema of bundles, for programs."""

from __future__ import annotations

import argparse
import json

from .. import bundle
from . import shared


def add_parsers(add: shared.AddParser) -> None:
    """Add the command to the command line."""
    add("schema").set_defaults(run=_run)


def _run(_options: argparse.Namespace) -> int:
    print(json.dumps(bundle.schema(), indent=2, ensure_ascii=False))
    return shared.OK
