"""JSON Schemas (draft 2020-12) of the site's JSON files, one per kind.

Files may have members that a schema does not mention: new ones are added without a new version.
"""

from __future__ import annotations

from typing import Any

from .json_api import VERSION

FOLDER = "schemas"
"""The folder of the schemas within the site's data."""

_TEXT: dict[str, Any] = {"type": "string"}
_TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}
_NUMBER_OR_NULL: dict[str, Any] = {"type": ["number", "null"]}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_PARAM: dict[str, Any] = {"type": ["string", "number", "boolean"]}
_SOURCE: dict[str, Any] = {
    "type": "array",
    "prefixItems": [_COUNT, {"type": "string", "pattern": "^/results/"}],
    "minItems": 2,
    "maxItems": 2,
}
_RUN_SETUP: dict[str, Any] = {"type": "object", "additionalProperties": _PARAM}
_IDENTITY = dict.fromkeys(("sdk", "soc", "os", "release", "title", "page"), _TEXT)


def _object(members: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an object with required, optional and, as everywhere, further
    members."""
    return {
        "type": "object",
        "required": [*members],
        "properties": members | (optional or {}),
    }


def _array_of(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


_FACT = {"oneOf": [_TEXT, _object({"bundle": _COUNT})]}
_FIGURE_SETUP: dict[str, Any] = {"type": "object", "additionalProperties": _array_of(_FACT)}
_RUN_NOTES = _array_of(_object({"text": _TEXT}, {"benchmark": _TEXT, "metric": _TEXT}))

_INDEX = _object(
    {
        "figures": _COUNT,
        "benchmarks": _TEXT,
        "datapackage": _TEXT,
        "schemas": {"type": "object", "additionalProperties": _TEXT},
        "socs": _array_of(_object({"soc": _TEXT, "page": _TEXT, "guides": _COUNT, "file": _TEXT})),
    }
)
_SOC = _object(
    {
        "soc": _TEXT,
        "page": _TEXT,
        "guides": _array_of(
            _object(
                {
                    **_IDENTITY,
                    "boards": _array_of(_TEXT),
                    "benchmarks": _array_of(_TEXT),
                    "figures": _COUNT,
                    "measured": _object({"first": _TEXT, "last": _TEXT}),
                    **dict.fromkeys(("file", "spreadsheet", "csv", "runs"), _TEXT),
                    **dict.fromkeys(("parquet", "parquet_runs"), _TEXT_OR_NULL),
                }
            )
        ),
    }
)
_GUIDE = _object(
    {
        **_IDENTITY,
        "bundles": _array_of(
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
        "figures": _array_of(
            _object(
                {
                    **dict.fromkeys(("board", "benchmark", "metric", "unit", "text"), _TEXT),
                    "params": {"type": "object", "additionalProperties": _PARAM},
                    **dict.fromkeys(("mean", "min", "max"), _NUMBER_OR_NULL),
                    "count": {"type": ["integer", "null"]},
                    "failed": _COUNT,
                    "runs": _COUNT,
                    "differs": _array_of(_TEXT),
                    "sources": _array_of(_SOURCE),
                },
                {"setup": _FIGURE_SETUP, "notes": _array_of(_TEXT)},
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
    {
        "benchmarks": _array_of(
            _object({"benchmark": _TEXT, "title": _TEXT, "metrics": _array_of(_METRIC)})
        )
    }
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
