"""Fits the points in common/extract/src/html/points.rs, which decide what of a web page is read, and writes them there.

    python3 tests/bench/points.py --set DIR --readability DIR --units PATH [--write]

DIR are the folders `tests` of trafilatura's repository and `test/test-pages` of Readability's. PATH is a built `bench-units`. Of
trafilatura's set only part 0 is used (`news_pages.py` divides it by host): a unit that holds a segment is of the article or not, as the
segment is expected or unwanted. Of Readability's pages all units are used, by whether their text is in the expected one. Needs the packages
numpy and scikit-learn.
"""

import argparse
import html
import json
import pathlib
import re
import subprocess
import tempfile

import numpy
from sklearn.linear_model import LogisticRegression

from news_pages import flat, page_of, part_of

POINTS = pathlib.Path(__file__).resolve().parents[2] / "common/extract/src/html/points.rs"
# The inverse of the strength of L2.
STRENGTH = 0.1
# What an unwanted segment weighs against an expected one, and what a page of Readability's weighs altogether. The second is in shares of
# its units and of its characters. Chosen so that neither set falls for the other.
UNWANTED, PAGE, PAGE_UNITS = 2.0, 6.0, 0.3
# Unwanted segments of more units than this are labels that an article may also say.
MOST_UNITS = 3


def units_of(program, files):
    with tempfile.NamedTemporaryFile("w", suffix=".list") as listed:
        listed.write("".join(f"{file}\n" for file in files))
        listed.flush()
        lines = subprocess.run([program, listed.name], capture_output=True, text=True, check=True).stdout.splitlines()
    return json.loads(lines[0]), {page["file"]: page["units"] for page in map(json.loads, lines[1:])}


def of_segments(item, units):
    """(traits, is of the article, weight) of the units that hold a segment."""
    for segments, is_wanted, weight in ((item["with"], 1, 1.0), (item["without"], 0, UNWANTED)):
        for segment in segments:
            held = [traits for text, traits in units if flat(segment) in text]
            if is_wanted:
                yield from ((traits, 1, weight) for traits in held[:1])
            elif len(held) <= MOST_UNITS:
                yield from ((traits, 0, weight) for traits in held)


def of_text(expected, units):
    wanted = "".join(html.unescape(re.sub(r"<[^>]*>", "", expected)).split())
    chars = sum(len(text) for text, _ in units)
    for text, traits in units:
        weight = PAGE * (PAGE_UNITS / len(units) + (1 - PAGE_UNITS) * len(text) / max(chars, 1))
        yield traits, int("".join(text.split()) in wanted), weight


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--set", type=pathlib.Path, required=True)
    parser.add_argument("--readability", type=pathlib.Path, required=True)
    parser.add_argument("--units", required=True)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    data = json.loads((asked.set / "evaldata.json").read_text())
    items = {page_of(asked.set, item): item for url, item in sorted(data.items()) if part_of(url) == 0 and page_of(asked.set, item)}
    pages = sorted(asked.readability.glob("*/source.html"))
    names, units = units_of(asked.units, [*items, *pages])
    rows = [row for page, item in items.items() for row in of_segments(item, units[str(page)])]
    for page in pages:
        rows.extend(of_text((page.parent / "expected.html").read_text(), units[str(page)]))
    steps = [1 + max(unit[1][trait] for page in units.values() for unit in page) for trait in range(len(names))]
    starts = numpy.cumsum([0, *steps])
    given = numpy.zeros((len(rows), starts[-1]))
    for at, (traits, _, _) in enumerate(rows):
        given[at, starts[:-1] + traits] = 1
    model = LogisticRegression(C=STRENGTH, max_iter=3000, solver="liblinear")
    model.fit(given, [row[1] for row in rows], sample_weight=[row[2] for row in rows])
    points = [round(100 * point) for point in model.coef_[0]]
    table = "".join(
        f'    ("{name}", &{points[start : start + count]}),\n' for name, start, count in zip(names, starts, steps)
    )
    source = POINTS.read_text()
    source = re.sub(r"(BASE: i32 = )-?\d+", lambda found: f"{found[1]}{round(100 * model.intercept_[0])}", source)
    source = re.sub(r"(POINTS: [^=]*= \[\n).*?(\];\n)", lambda found: found[1] + table + found[2], source, count=1, flags=re.DOTALL)
    print(f"{len(rows)} units of {len(units)} pages")
    if asked.write:
        POINTS.write_text(source)
    else:
        print(source)


if __name__ == "__main__":
    main()
