"""Main content of HTML pages on trafilatura's own evaluation set, scored as its `tests/eval_common.py` does: segments of text that must
and must not be in the result, compared without differences of white space.

    python3 tests/bench/news_pages.py --set DIR [--precis PATH] [--part 0|1] [--verbose]

DIR is the folder `tests` of a copy of trafilatura's repository (Apache-2.0; the pages have licences of their own and are not in ours): it
holds `evaldata.json`, `eval` and `cache`. Without it nothing is scored, and the program says so. The hash of the host divides the pages into
two parts, so that rules can be made on one and judged on the other. Fields at the top of a text, such as the title in the head of a page,
are not part of what is scored. If the package trafilatura is installed, it is scored beside.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse


def flat(text):
    return re.sub(r"\s+", " ", text).strip()


def of_precis(precis, page):
    ended = subprocess.run([precis, "extract", str(page), "--json"], capture_output=True, text=True, timeout=120)
    if ended.returncode != 0:
        return ""
    read = json.loads(ended.stdout)
    start = next((block["start"] for block in read["blocks"] if block["kind"] != "field"), 0)
    return read["text"][start:]


def of_trafilatura(page):
    import trafilatura

    return trafilatura.extract(page.read_bytes(), include_comments=False, include_tables=True) or ""


def page_of(root, item):
    return next((root / folder / item["file"] for folder in ("cache", "eval") if (root / folder / item["file"]).is_file()), None)


def part_of(url):
    host = urllib.parse.urlsplit(url).hostname or ""
    return int(hashlib.sha256(host.encode()).hexdigest(), 16) % 2


def score(name, extract, root, items, verbose):
    pages = [page_of(root, item) for item in items]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(extract, pages))
    found = unwanted = wanted = forbidden = 0
    without = []
    for item, text in zip(items, texts):
        text = flat(text)
        hits = [flat(segment) in text for segment in item["with"]]
        kept = [flat(segment) in text for segment in item["without"]]
        found, wanted = found + sum(hits), wanted + len(hits)
        unwanted, forbidden = unwanted + sum(kept), forbidden + len(kept)
        if not any(hits):
            without.append(item["file"])
        for segment, is_in in [*zip(item["with"], hits), *((segment, not is_in) for segment, is_in in zip(item["without"], kept))]:
            if verbose and not is_in:
                print(f"  {item['file']} {'lacks' if segment in item['with'] else 'holds'} {flat(segment)[:90]!r}")
    precision, recall = found / max(found + unwanted, 1), found / max(wanted, 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    print(
        f"{name}: {len(items)} pages, precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}; "
        f"{len(without)} pages without any expected segment; {unwanted} of {forbidden} unwanted segments kept"
    )
    if verbose:
        print("  none of:", *without)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--set", type=pathlib.Path, required=True)
    parser.add_argument("--precis", default="target/release/precis")
    parser.add_argument("--part", type=int, choices=(0, 1))
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    if not (asked.set / "evaldata.json").is_file():
        print(f"SKIPPED: {asked.set}/evaldata.json does not exist; give the folder `tests` of trafilatura's repository", file=sys.stderr)
        return
    data = json.loads((asked.set / "evaldata.json").read_text())
    urls = [url for url in sorted(data) if page_of(asked.set, data[url])]
    items = [data[url] for url in urls if asked.part in (None, part_of(url))]
    score("precis", lambda page: of_precis(asked.precis, page), asked.set, items, asked.verbose)
    try:
        import trafilatura
    except ImportError:
        print("trafilatura: not installed, so not scored beside", file=sys.stderr)
        return
    score(f"trafilatura {trafilatura.__version__}", of_trafilatura, asked.set, items, asked.verbose)


if __name__ == "__main__":
    main()
