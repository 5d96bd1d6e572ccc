"""How Sphinx builds the site: `make docs`. Nothing is asked of the network, neither by the build nor by the pages."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent))
import api_reference
import site_sources

project = "nln"
author = "The nln developers"
release = tomllib.loads((site_sources.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_nb"]
exclude_patterns = ["_build", "images", "jupyter_execute"]  # the last is left by myst_nb beside the site
nitpicky = True

# Markdown as on any repository's page; notebooks with the output that they were kept with.
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"

# Docstrings: numpydoc, names in backquotes as code, types as the docstring says them.
default_role = "code"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = f"nln {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_style = "friendly"
pygments_dark_style = "monokai"


def setup(app: Sphinx) -> None:
    """Bring in the API reference and files from elsewhere in the repository; table files are shown as plain text."""
    site_sources.setup(app)
    api_reference.setup(app)
    app.add_lexer("csv", TextLexer)
