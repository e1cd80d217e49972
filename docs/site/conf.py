"""The documentation site: Markdown by MyST, furo's light and dark, formulas as MathML; nothing is fetched."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "robandit"
author = "The robandit authors"
extensions = ["myst_parser", "sphinx_copybutton", "formulas", "blocks"]
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
myst_fence_as_directive = ["math"]
myst_links_external_new_tab = False
html_math_renderer = "mathml"
html_theme = "furo"
html_title = "robandit"
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
smartquotes = False  # -- is a flag
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"footer_icons": []}
highlight_language = "none"  # a block without a language is what a terminal shows
pygments_style, pygments_dark_style = "tango", "github-dark"
copybutton_prompt_text = r"\$ "
copybutton_prompt_is_regexp = True
exclude_patterns = ["conf.py", "formulas.py", "blocks.py"]
nitpicky = False
