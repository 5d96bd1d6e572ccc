"""`python -m nln.cli`."""

from nln.cli import main

raise SystemExit(main())
