"""Public test files of other programs and their expected words, all in one run: what is found of them, and what is read besides.

    python3 tests/bench/public_suites.py [--precis PATH] [--trafilatura DIR] [--readability DIR] [--pandoc DIR] [--mammoth DIR]
                                         [--pdfplumber DIR] [--docling DIR] [--verbose]

Each DIR is a copy of the repository of that name; what is not given is skipped, and the program says so. Words are compared as bags,
without case and in compatibility form, because each program writes tables, lists and notes in an order of its own; soft hyphens and marks
of Markdown count for nothing. Fields at the top of a text are not scored. Of trafilatura's set, segments are scored, as in `news_pages.py`.
A set tells what its program reads, which is not all that a document says: look at the worst files before believing a number.
"""

import argparse
import collections
import concurrent.futures
import html
import json
import pathlib
import re
import subprocess
import sys
import unicodedata

from news_pages import flat, page_of

WORST = 5
# Folders of docling's files whose formats docs/formats.md lists as read; the others are recordings, pictures and older Office files.
READ = ["csv", "docx", "email", "epub", "html", "jats", "latex", "md", "odf", "pdf", "pptx", "webvtt", "xlsx"]


def words(text):
    """A bag of Unicode words; CJK characters one by one."""
    folded = unicodedata.normalize("NFKC", text.replace("\u00ad", "")).casefold()
    return collections.Counter(re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+", folded))


def read(precis, document):
    """The text of a document without its fields, or nothing if it is refused."""
    ended = subprocess.run([precis, "extract", str(document), "--json"], capture_output=True, text=True, timeout=300)
    if ended.returncode != 0:
        return None
    found = json.loads(ended.stdout)
    start = next((block["start"] for block in found["blocks"] if block["kind"] != "field"), 0)
    return found["text"][start:]


def of_html(text):
    """The text of HTML: blocks apart, entities decoded."""
    text = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", text)
    return html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"</?(b|i|em|strong|a|span|u|s|sup|sub|code|small)\b[^>]*>", "", text)))


def of_native(text):
    """The strings of pandoc's own format."""
    quoted = r'"((?:[^"\\]|\\.)*)"'
    # Metadata are fields here, which are not scored.
    text = re.sub(r"(?s)^\s*Pandoc\s+Meta.*?\n    \}\n", "", text)
    text = re.sub(rf"\bRaw(?:Block|Inline)\s*\(\s*Format\s*{quoted}\s*\)\s*{quoted}", " ", text)
    # Identifiers, classes, attributes and targets are not said.
    text = re.sub(rf'\(\s*{quoted}\s*,\s*\[[^\[\]]*\]\s*,\s*\[(?:[^\[\]]|\[[^\]]*\])*\]\s*\)', " ", text)
    text = re.sub(rf"\(\s*{quoted}\s*,\s*{quoted}\s*\)", " ", text)
    glued = re.sub(r'"\s*,\s*(?:Str)\s*"', "", re.sub(r"(?s).*?(?=\b(Str|Code|Math|CodeBlock)\b)", "", text, count=1))
    strings = re.findall(quoted, glued)
    plain = (one.replace("\\n", " ").replace('\\"', '"') for one in strings)
    return " ".join(re.sub(r"\\(\d+)\\?&?", lambda found: chr(int(found[1])), one) for one in plain)


def of_markdown(text):
    """The text of Markdown without its links, tables' lines, comments and tags."""
    text = re.sub(r"(?s)<!--.*?-->", " ", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", " ", text)
    text = re.sub(r"\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)", r"\1", text)
    text = re.sub(r"(?m)^[-| :]+$", " ", text)
    return of_html(re.sub(r"\\(.)", r"\1", text))


def readability(root):
    for source in sorted(root.glob("test/test-pages/*/source.html")):
        expected = (source.parent / "expected.html").read_text()
        yield source, of_html(expected), source.parent.name


def pandoc(root):
    kinds = ["docx/*.docx", "odt/odt/*.odt", "rtf/*.rtf", "epub/*.epub", "ipynb/*.ipynb", "pptx-reader/*.pptx"]
    readers = ["rst-reader.rst", "latex-reader.latex", "html-reader.html", "docbook-reader.docbook", "jats-reader.xml"]
    for source in sorted(path for kind in [*kinds, *readers] for path in (root / "test").glob(kind)):
        native = source.with_suffix(".native")
        if source.parent.name == "odt":
            native = source.parent.parent / "native" / native.name
        if native.is_file():
            yield source, of_native(native.read_text()), str(source.relative_to(root / "test"))


def mammoth(root):
    tests = (root / "test/mammoth.tests.js").read_text()
    seen = set()
    for block in re.split(r"(?m)^test\(", tests):
        document = re.search(r"test-data/([\w-]+\.docx)", block)
        expected = re.search(r"(?s)(convertToHtml|extractRawText)\(.*?assert\.equal\(result\.value, (['\"])((?:(?!\2)[^\\]|\\.)*)\2", block)
        if document and expected and document[1] not in seen:
            seen.add(document[1])
            yield root / "test/test-data" / document[1], of_html(expected[3].replace("\\n", " ")), document[1]


def pdfplumber(root):
    for expected in sorted((root / "tests/comparisons").glob("*.txt")):
        source = root / "tests/pdfs" / f"{expected.stem}.pdf"
        if source.is_file():
            yield source, expected.read_text(), source.name


def docling(root):
    for source in sorted(path for kind in READ for path in (root / "tests/data").glob(f"{kind}/sources/*")):
        expected = source.parent.parent / "groundtruth" / f"{source.name}.md"
        if expected.is_file():
            yield source, of_markdown(expected.read_text()), f"{source.parent.parent.name}/{source.name}"


def score(name, precis, files, verbose):
    """Scores the words of (file, expected text, name)."""
    files = list(files)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(lambda file: read(precis, file[0]), files))
    expected = found = besides = 0
    failed, worst = [], []
    for (_, wanted, label), text in zip(files, texts):
        want = words(wanted)
        if text is None and want:
            failed.append(label)
        got = words(text or "")
        lost, more = want - got, got - want
        expected, found, besides = expected + want.total(), found + (want & got).total(), besides + more.total()
        worst.append((lost.total() + more.total(), lost.total(), more.total(), want.total(), label, lost, more))
    print(
        f"{name}: {len(files)} files, {found / max(expected, 1):.2%} of {expected} expected words found, "
        f"{besides} words read besides, {len(failed)} refused{': ' + ', '.join(failed) if failed else ''}"
    )
    for _, lost, more, want, label, absent, added in sorted(worst, key=lambda one: -one[0])[:WORST]:
        print(f"  {label}: {lost} of {want} lost, {more} besides")
        if verbose:
            print("    lost:", *list(absent)[:25], "\n    besides:", *list(added)[:25])


def segments(precis, root):
    """Scores trafilatura's segments."""
    tests = root / "tests"
    items = [item for _, item in sorted(json.loads((tests / "evaldata.json").read_text()).items()) if page_of(tests, item)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = [flat(text or "") for text in pool.map(lambda item: read(precis, page_of(tests, item)), items)]
    wanted = found = kept = forbidden = 0
    worst, without = [], 0
    for item, text in zip(items, texts):
        hits = sum(flat(one) in text for one in item["with"])
        besides = sum(flat(one) in text for one in item["without"])
        wanted, found, without = wanted + len(item["with"]), found + hits, without + (hits == 0)
        forbidden, kept = forbidden + len(item["without"]), kept + besides
        worst.append((len(item["with"]) - hits + besides, len(item["with"]) - hits, besides, item["file"]))
    f1 = 2 * found / max(wanted + found + kept, 1)
    print(
        f"trafilatura: {len(items)} pages, {found / max(wanted, 1):.2%} of {wanted} expected segments found, {kept} of {forbidden} "
        f"unwanted kept, F1 {f1:.4f}, {without} pages without any expected segment"
    )
    for _, lost, besides, label in sorted(worst, key=lambda one: -one[0])[:WORST]:
        print(f"  {label}: {lost} segments lost, {besides} besides")


SUITES = {"readability": readability, "pandoc": pandoc, "mammoth": mammoth, "pdfplumber": pdfplumber, "docling": docling}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--precis", default="target/release/precis")
    parser.add_argument("--verbose", action="store_true")
    for name in ["trafilatura", *SUITES]:
        parser.add_argument(f"--{name}", type=pathlib.Path)
    asked = parser.parse_args()
    for name in ["trafilatura", *SUITES]:
        root = getattr(asked, name)
        if root is None or not root.is_dir():
            given = f"{root} is no folder" if root else "no folder was given"
            print(f"SKIPPED {name}: {given}; give a copy of its repository with --{name}", file=sys.stderr)
        elif name == "trafilatura":
            segments(asked.precis, root)
        else:
            score(name, asked.precis, SUITES[name](root), asked.verbose)


if __name__ == "__main__":
    main()
