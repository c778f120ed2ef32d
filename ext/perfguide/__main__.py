"""``python -m perfguide`` is the command."""

import sys

from .cli import main

sys.exit(main())
