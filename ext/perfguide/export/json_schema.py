"""JSON Schemas (draft 2020-12) of the site's JSON files, one per kind.

Files may have members that a schema does not mention: new ones are added without a new version.
"""

from __future__ import annotations

from typing import Any

from .json_api import VERSION

FOLDER = "schemas"
"""The folder of the schemas within the site's data."""

_TEXT: dict[str, Any] = {"type": "string"}
_NO_TEXT: dict[str, Any] = {"type": ["string", "null"]}
_NUMBER: dict[str, Any] = {"type": ["number", "null"]}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_TEXTS: dict[str, Any] = {"type": "array", "items": _TEXT}
_SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean"]}
_PAIR: dict[str, Any] = {
    "type": "array",
    "prefixItems": [_COUNT, {"type": "string", "pattern": "^/results/"}],
    "minItems": 2,
    "maxItems": 2,
}
_RUN_SETUP: dict[str, Any] = {"type": "object", "additionalProperties": _SCALAR}
_IDENTITY = dict.fromkeys(("sdk", "soc", "os", "release", "title", "page"), _TEXT)


def _object(members: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an object with required, optional and arbitrary further members."""
    return {
        "type": "object",
        # Further members are allowed, since later versions may add some.
        "required": [*members],
        "properties": members | (optional or {}),
    }


def _many(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


_FACT = {"oneOf": [_TEXT, _object({"bundle": _COUNT})]}
_SETUP: dict[str, Any] = {"type": "object", "additionalProperties": _many(_FACT)}
_RUN_NOTES = _many(_object({"text": _TEXT}, {"benchmark": _TEXT, "metric": _TEXT}))

_INDEX = _object(
    {
        "figures": _COUNT,
        "benchmarks": _TEXT,
        "datapackage": _TEXT,
        "schemas": {"type": "object", "additionalProperties": _TEXT},
        "socs": _many(_object({"soc": _TEXT, "page": _TEXT, "guides": _COUNT, "file": _TEXT})),
    }
)
_SOC = _object(
    {
        "soc": _TEXT,
        "page": _TEXT,
        "guides": _many(
            _object(
                {
                    **_IDENTITY,
                    "boards": _TEXTS,
                    "benchmarks": _TEXTS,
                    "figures": _COUNT,
                    "measured": _object({"first": _TEXT, "last": _TEXT}),
                    **dict.fromkeys(("file", "spreadsheet", "csv", "runs"), _TEXT),
                    **dict.fromkeys(("parquet", "parquet_runs"), _NO_TEXT),
                }
            )
        ),
    }
)
_GUIDE = _object(
    {
        **_IDENTITY,
        "bundles": _many(
            _object(
                {
                    "id": _TEXT,
                    "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
                    "file": _TEXT,
                    "created": _TEXT,
                    "runner": {"type": ["object", "null"]},
                    "sdk": {"type": "object"},
                    "board": {"type": "object"},
                },
                {"setup": _RUN_SETUP, "notes": _RUN_NOTES},
            )
        ),
        "figures": _many(
            _object(
                {
                    **dict.fromkeys(("board", "benchmark", "metric", "unit", "text"), _TEXT),
                    "params": {"type": "object", "additionalProperties": _SCALAR},
                    **dict.fromkeys(("mean", "min", "max"), _NUMBER),
                    "count": {"type": ["integer", "null"]},
                    "failed": _COUNT,
                    "runs": _COUNT,
                    "differs": _TEXTS,
                    "sources": _many(_PAIR),
                },
                {"setup": _SETUP, "notes": _TEXTS},
            )
        ),
    }
)
_METRIC = _object(
    {
        **dict.fromkeys(("metric", "unit", "label"), _TEXT),
        "better": {"enum": ["higher", "lower", "neither"]},
        "decimals": _COUNT,
    }
)
_BENCHMARKS = _object(
    {"benchmarks": _many(_object({"benchmark": _TEXT, "title": _TEXT, "metrics": _many(_METRIC)}))}
)

_KINDS = {
    "index": ("What the site has", _INDEX),
    "soc": ("The guides of one SoC", _SOC),
    "guide": ("One guide: its bundles, and every figure", _GUIDE),
    "benchmarks": ("Every metric that has a figure", _BENCHMARKS),
}

FILES = {kind: f"{FOLDER}/{kind}.json" for kind in _KINDS}
"""The schema file of each kind; the member ``format`` of a file is ``perfguide-KIND``."""


def schemas() -> dict[str, dict[str, Any]]:
    """Return the schema of each kind of file."""
    out = {}
    for kind, (title, members) in _KINDS.items():
        head = _object({"format": {"const": f"perfguide-{kind}"}, "version": {"const": VERSION}})
        out[kind] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": title,
            "type": "object",
            "required": [*head["required"], *members["required"]],
            "properties": head["properties"] | members["properties"],
        }
    return out
