"""Builds the documentation site into out/docs/html: `make docs`. Warnings are errors; then every link is followed.

A browser, where there is one, looks whether a page cuts off formulas or code.

The sources are docs/*.md as they are, the pages of docs/site, the four long files of the root, and the reference that
docs/make_reference.py writes. Run by the Python of the docs' own environment; robandit lives in another one.
"""

import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

DOCS = Path(__file__).parent
ROOT, OUT = DOCS.parent, DOCS.parent / "out" / "docs"
PAGES = {f"{name.upper()}.md": f"{name}.md" for name in ("contributing", "architecture", "changelog", "security")}


class Links(HTMLParser):
    """What a page points at, and the places in it that can be pointed at."""

    def __init__(self) -> None:
        super().__init__()
        self.targets, self.places = list[str](), {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self.targets += [value for name in ("href", "src") if (value := attributes.get(name))]
        self.places |= {value for name in ("id", "name") if (value := attributes.get(name))}


def gather_sources(python: str) -> Path:
    """Copy all sources into one folder; returns it."""
    source = OUT / "source"
    shutil.rmtree(OUT, ignore_errors=True)
    shutil.copytree(
        DOCS,
        source,
        ignore=shutil.ignore_patterns("*.py", "python-examples.md", "site", "__pycache__", "*.json", "words.txt"),
    )
    shutil.copytree(DOCS / "site", source, dirs_exist_ok=True)
    for name, page in PAGES.items():
        (source / page).write_text((ROOT / name).read_text())
    subprocess.run([python, str(DOCS / "make_reference.py"), str(source)], check=True)
    for notebook in source.rglob("*.ipynb"):
        notebook.with_suffix(".md").write_text(as_page(json.loads(notebook.read_text())))
        notebook.unlink()
    for page in source.rglob("*.md"):
        page.write_text(with_diagrams(relinked(page.read_text()), source / "pictures"))
    index = source / "index.md"
    names = [str(page.relative_to(source).with_suffix("")) for page in sorted(source.rglob("*.md"))]
    more = sorted({*names} - {"index", *re.findall(r"^(?:.+ <)?([\w/-]+)>?$", index.read_text(), re.MULTILINE)})
    if more:  # pages that no chapter lists yet
        index.write_text(index.read_text() + "\n```{toctree}\n:caption: More\n\n" + "\n".join(more) + "\n```\n")
    return source


def as_page(notebook: dict[str, Any]) -> str:
    """Returns a notebook as `make notebooks` left it: its words, its code, what that printed."""
    parts = list[str]()
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += ["```text\n" + "".join(output["text"]).rstrip() + "\n```" for output in cell.get("outputs", [])]
    return "\n\n".join(parts) + "\n"


def relinked(text: str) -> str:
    """Returns text with links to pages of the root and to files that are no pages as the site has them."""
    text = text.replace("](docs/", "](")
    for name, page in PAGES.items():
        text = text.replace(f"](../{name}", f"]({page}")
    text = re.sub(r"(\]\((?:notebooks/)?\w+)\.ipynb\)", r"\1.md)", text)
    return re.sub(r"\[([^\]]+)\]\(((?:\.\./)*src/[^)]+)\)", r"`\1`", text)


def with_diagrams(text: str, pictures: Path) -> str:
    """Returns text with its SVG pictures inside the page, where furo's switch of light and dark reaches them."""

    def diagram(match: re.Match[str]) -> str:
        """Returns a picture as HTML; its colours are those of the page's body."""
        svg = (pictures / match[1]).read_text()
        light, dark = re.findall(r":root (\{[^}]*\})", svg)
        system = f'@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {dark} }}'
        colours = f'body {light}\n  body[data-theme="dark"] {dark}\n  {system}'
        svg = re.sub(r":root \{[^}]*\}\s*@media[^{]*\{\s*:root \{[^}]*\}\s*\}", lambda _: colours, svg)
        return f'<div class="diagram">\n{svg}</div>'

    return re.sub(r"!\[[^\]]*\]\((?:\.\./)*pictures/([\w-]+\.svg)\)", diagram, text)


def find_broken_links(html: Path) -> list[str]:
    """Returns links within the site that lead nowhere, and pages that nothing leads to."""
    pages = {}
    for page in html.rglob("*.html"):
        pages[page] = Links()
        pages[page].feed(page.read_text())
    broken, linked_pages = [], {html / "index.html"}
    for page, links in pages.items():
        for link in links.targets:
            if re.match(r"[a-z]+:", link):
                continue
            path, place = urldefrag(re.sub(r"\?v=\w+", "", link))
            target = (page.parent / unquote(path)).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (target in pages and unquote(place) not in pages[target].places):
                broken.append(f"{page.relative_to(html)}: {link}")
            elif target != page:
                linked_pages.add(target)
    own = {"genindex.html", "search.html"}
    return broken + [
        f"nothing leads to {page.name}" for page in pages if page not in linked_pages and page.name not in own
    ]


def find_foreign_links(html: Path) -> list[str]:
    """Returns scripts, styles and pictures that would be fetched from elsewhere."""
    links = []
    for page in html.rglob("*.html"):
        tags = re.findall(r"<(?:script|img|link)[^>]*?(?:src|href)=\"(https?:[^\"]+)\"", page.read_text())
        links += [f"{page.name}: {link}" for link in tags]
    return links


def main(python: str) -> int:
    """Gather, build, follow the links, look the words up."""
    from look_at_pages import find_cut_boxes
    from plain_words import private_words
    from spelling import find_misspellings  # its dictionary is in the docs' environment only

    source, html = gather_sources(python), OUT / "html"
    words = ["-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", str(source), str(html)]
    build = subprocess.run([sys.executable, *words])
    subprocess.run([python, "-m", "robandit", "page", "--out", str(html / "lab")], check=True)
    problems = find_broken_links(html.resolve()) + find_foreign_links(html) if html.exists() else ["no page was built"]
    cut_boxes = find_cut_boxes(sorted(page for page in html.resolve().rglob("*.html") if page.parent.name != "lab"))
    sources = [ROOT / "README.md", *sorted(source.rglob("*.md"))]
    words_to_fix = find_misspellings(sources) + private_words([*sources, *sorted((ROOT / "src").rglob("*.py"))])
    for line in problems + cut_boxes + words_to_fix:
        print(line, file=sys.stderr)
    counts = f"{len(problems)} broken links, {len(cut_boxes)} cut boxes, {len(words_to_fix)} unknown words"
    print(f"{len(list(html.rglob('*.html')))} pages, {counts}: {html / 'index.html'}")
    return 1 if problems or cut_boxes or words_to_fix or build.returncode else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
