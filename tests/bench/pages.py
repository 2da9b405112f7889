"""Main content of HTML pages against trafilatura: word F1 where the whole main text is known, strings that must and must not be
in it elsewhere.

    python3 tests/bench/pages.py --docs DIR [--precis PATH]

DIR holds NAME.html with NAME.main.txt (the whole main text) or NAME.expect.json ({"must_contain": [...], "must_not_contain": [...]}). Needs the
package trafilatura.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import unicodedata


def words(text):
    """Unicode words, CJK characters one by one, in compatibility form and lower case."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return re.findall(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+", folded)


def f1(got, want):
    """Harmonic mean of precision and recall over bags of words."""
    a, b = collections.Counter(words(got)), collections.Counter(words(want))
    hits = sum((a & b).values())
    if not hits:
        return 0.0 if a or b else 1.0
    precision, recall = hits / sum(a.values()), hits / sum(b.values())
    return 2 * precision * recall / (precision + recall)


def of_precis(precis, page):
    ended = subprocess.run([precis, "extract", str(page), "--json"], capture_output=True, text=True, timeout=60)
    if ended.returncode != 0:
        return ""
    read = json.loads(ended.stdout)
    # What the head of a page says is no part of its main content.
    start = next((block["start"] for block in read["blocks"] if block["kind"] != "field"), 0)
    return read["text"][start:]


def of_trafilatura(page):
    import trafilatura

    return trafilatura.extract(page.read_bytes(), include_comments=False) or ""


def strings(expectation):
    """What must and what must not be found."""
    must = expectation.get("must_contain", [])
    must_not = expectation.get("must_not_contain", [])
    return must, must_not


def collapsed(text):
    return " ".join(unicodedata.normalize("NFC", text).split())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=pathlib.Path, required=True)
    parser.add_argument("--precis", default="target/release/precis")
    parser.add_argument("--verbose", action="store_true")
    asked = parser.parse_args()
    tools = {"precis": lambda page: of_precis(asked.precis, page), "trafilatura": of_trafilatura}
    for name, extract in tools.items():
        scores, found, kept_out, must_count, must_not_count = [], 0, 0, 0, 0
        for page in sorted(asked.docs.glob("*.html")):
            text = extract(page)
            truth, expected = page.with_suffix(".main.txt"), page.with_suffix(".expect.json")
            if truth.exists():
                scores.append((f1(text, truth.read_text()), page.name))
            elif expected.exists():
                must, must_not = strings(json.loads(expected.read_text()))
                flat = collapsed(text)
                for wanted in must:
                    hit = collapsed(wanted) in flat
                    found, must_count = found + hit, must_count + 1
                    if asked.verbose and not hit:
                        print(f"  {name} lacks in {page.name}: {wanted[:80]!r}")
                for unwanted in must_not:
                    out = collapsed(unwanted) not in flat
                    kept_out, must_not_count = kept_out + out, must_not_count + 1
                    if asked.verbose and not out:
                        print(f"  {name} keeps in {page.name}: {unwanted[:80]!r}")
        mean = sum(score for score, _ in scores) / max(1, len(scores))
        print(f"{name:12} word F1 {mean:.4f} on {len(scores)} pages; "
              f"{found}/{must_count} strings that must be there, {kept_out}/{must_not_count} that must not are left out")
        if asked.verbose:
            for score, page in sorted(scores)[:6]:
                print(f"  {score:.3f} {page}")


if __name__ == "__main__":
    main()
