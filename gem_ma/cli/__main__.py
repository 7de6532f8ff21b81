"""The module that `python -m gem_ma.cli` runs."""

import sys

from gem_ma.cli.main import main

sys.exit(main())
