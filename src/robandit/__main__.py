"""`python -m robandit` is the command."""

import sys

from robandit.cli.main import main

sys.exit(main())
