"""Whether a JSON text names a key twice, which its decoder passes over in silence."""

from __future__ import annotations

import re
from typing import Any

import msgspec

_KEY = re.compile(rb'"\s*:')
_SPACE, _QUOTE, _COLON, _BACKSLASH = b' ":\\'


def named_once(data: bytes, encoded: bytes) -> bool:
    """Whether no key of a text stands there twice, where ``encoded`` is its value anew."""
    return _quickly(data, encoded) or not _may_repeat(data)


def _quickly(data: bytes, encoded: bytes) -> bool:
    """Whether it is quickly seen that no key of a text stands there twice.

    Where no colon has white space before it, there are no more keys in the text than
    colons behind quotation marks. In the bundle as it is encoded there are as many
    keys as such colons, without those in strings, whose quotation marks have a
    backslash. What was spelt out though it is the default lets this fail.
    """
    import numpy as np  # commands that read no bundle need not wait for it

    text, own = (np.frombuffer(each, dtype="uint8") for each in (data, encoded))
    colons, before = text[1:] == _COLON, text[:-1]
    if np.count_nonzero(colons & (before <= _SPACE)):
        return False
    ends = (own[1:] == _COLON) & (own[:-1] == _QUOTE)
    quoted = np.count_nonzero(ends[1:] & (own[:-2] == _BACKSLASH))
    keys = np.count_nonzero(ends) - quoted
    return bool(np.count_nonzero(colons & (before == _QUOTE)) == keys)


def _may_repeat(data: bytes) -> bool:
    """Whether the text holds more keys than the decoded value can account for.

    The decoder lets the last of two equal keys win. Each key of the text is one
    match of the pattern, and text in strings can only add matches; so where the
    numbers agree no key stands there twice. Where they differ the slow pass
    decides.
    """
    return sum(1 for _ in _KEY.finditer(data)) != _count_keys(msgspec.json.decode(data))


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(
            _count_keys(v) for v in value.values() if isinstance(v, dict | list)
        )
    if isinstance(value, list):
        return sum(_count_keys(v) for v in value if isinstance(v, dict | list))
    return 0
