"""Canonical text, chunks, evidence and locators as a straightforward Python program: what the figures are held against.

Standard library only. Follows the same rules as the product (offsets in code points, chunks that partition the text, share of the
question's words weighted by rarity) with the plainest code that does it; it is no oracle.
"""

import collections
import html
import math
import re
import unicodedata

TARGET, REACH, MAX, MIN = 400, 100, 500, 50
STOPWORDS = frozenset(
    "a an and are as at be but by for from has have how in is it its of on or that the their this to was were what when where "
    "which who why will with".split()
)
SENTENCE = re.compile(r"[.!?]\s+(?=[A-Z])")
CLAUSE = re.compile(r"[,;:]\s+")
WORD = re.compile(r"\s+")


def canonical(text):
    """NFC, white space collapsed, trimmed; tags and entities of HTML gone."""
    if re.match(r"\s*<(!doctype|html)", text, re.I):
        text = re.sub(r"(?is)<(script|style)\b.*?</\1>", " ", text)
        text = html.unescape(re.sub(r"(?s)<[^>]+>", " ", text))
    return re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()


def cut(text, start):
    """End of the chunk that begins at `start`."""
    if len(text) - start <= TARGET:
        return len(text)
    low, high = start + TARGET - REACH, min(start + MAX, len(text))
    for boundary in (SENTENCE, CLAUSE, WORD):
        ends = [m.end() for m in boundary.finditer(text, low, high)]
        if ends:
            return min(ends, key=lambda end: (abs(end - start - TARGET), end))
    return high


def chunks(text):
    """Start and end of each chunk; they join to the text."""
    found, start = [], 0
    while start < len(text):
        end = cut(text, start)
        found.append((start, end))
        start = end
    if len(found) > 1 and found[-1][1] - found[-1][0] < MIN and found[-1][1] - found[-2][0] <= MAX:
        found[-2:] = [(found[-2][0], found[-1][1])]
    return found


def terms(text):
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 1 and word not in STOPWORDS]


def evidence(text, query, most=5):
    """The best snippets with locator and score, best first."""
    places = chunks(text)
    words = [set(terms(text[start:end])) for start, end in places]
    wanted = set(terms(query))
    holding = collections.Counter(word for each in words for word in each & wanted)
    scored = []
    for place, ((start, end), each) in enumerate(zip(places, words)):
        matched = each & wanted
        if matched:
            weight = sum(1 / math.log2(holding[word] + 2) for word in matched) / len(matched)
            scored.append((-len(matched) / len(wanted) * weight, place, end - start, start, end))
    scored.sort()
    found = []
    for score, _, _, start, end in scored[:most]:
        raw = text[start:end]
        first = start + len(raw) - len(raw.lstrip())
        last = first + len(raw.strip())
        found.append((f"char:{first}-{last}", text[first:last], -score))
    return found
