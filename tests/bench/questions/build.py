#!/usr/bin/env python3
"""Builds a set of questions to judge by: python3 tests/bench/questions/build.py MIRRORS OUT [QUESTIONS OF A KIND]

MIRRORS holds bare clones of public repositories as OWNER+NAME/repo (`sets.py` and `templates.py` name them). OUT gets `docs/` and
`questions.jsonl`, one line for each question asked of one document: `kind`, `language`, `split` (fit, choose, kept; by document), `what`,
`question`, `doc`, `answers`, `answerable`, `shares` (whether it has a content word of the passage that answers). `what` is:

- own: asked of its document;
- other: asked of another document of the same kind;
- without: asked of its document without the passages that answer;
- set: called unanswerable by the makers of the set;
- false: its premise is denied by the document.

Questions that share no word with their passage come first where a set has more than are taken."""
import collections, hashlib, json, pathlib, re, sys
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import sets, templates

KINDS = [
    ("encyclopedia", "es", sets.wiki_es), ("encyclopedia", "de", sets.wiki_de), ("encyclopedia", "it", sets.wiki_it),
    ("encyclopedia", "zh", sets.wiki_zh), ("encyclopedia", "ja", sets.wiki_ja), ("encyclopedia", "tr", sets.wiki_tr),
    ("encyclopedia", "ar", sets.wiki_ar), ("course", "pt", sets.course_pt), ("policy", "en", sets.policy),
    ("authority", "fr", sets.authority_fr), ("web", "en", sets.web), ("finance", "en", sets.finance), ("table", "en", sets.tables),
    ("meeting", "en", sets.meeting), ("paper", "en", sets.paper), ("review", "en", sets.review), ("faq", "", sets.faq),
    ("eip", "en", templates.eip), ("rust", "en", templates.rust), ("kep", "en", templates.kep), ("law", "de", templates.law),
]
# Kinds whose questions name nothing: another document may answer them too, unless it lacks most of their words.
NAMELESS = {"policy", "authority", "finance", "table", "meeting", "review", "faq", "law"}
# Kinds whose other passages may answer as well, so that nothing is left out of them.
REPEATS = {"policy", "faq", "authority", "table", "web"}
MOST_SHARED = 0.5
COMMON = 0.04


def number(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def split(kind, at):
    return ("fit", "fit", "choose", "kept", "kept")[number(f"{kind}:{at}") % 5]


def words(text):
    found = set()
    for word in re.findall(r"\w+", text.lower()):
        if re.search(r"[\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]", word):
            found.update(word[n:n + 2] for n in range(len(word) - 1))
        elif len(word) > 3 or word.isdigit():
            found.add(word[:5])
    return found


class Writer:
    def __init__(self, out):
        self.out, self.rows = out, []
        (out / "docs").mkdir(parents=True, exist_ok=True)

    def document(self, name, document, without=()):
        head, path = document.head, self.out / "docs" / f"{name}.md"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            lines = [line for line in head.splitlines() if line.split(":")[0] not in without] if head else []
            body = [block for n, block in enumerate(document.blocks) if n not in without]
            titled = [f"# {document.title}"] if document.title and not head else []
            path.write_text(("---\n" + "\n".join(lines) + "\n---\n\n" if lines else "") + "\n\n".join(titled + body) + "\n", "utf-8")
        return f"{name}.md"

    def add(self, kind, language, at, doc, what, question, shares, own_language=""):
        self.rows.append({"kind": kind, "language": own_language or language, "split": split(kind + language, at), "what": what, "question": question.text,
                          "doc": doc, "answers": question.answers, "answerable": what == "own", "shares": shares})


def passage(document, question):
    fields = [line for line in document.head.splitlines() if line.split(":")[0] in question.blocks]
    return "\n".join(fields + [document.blocks[n] for n in question.blocks if isinstance(n, int)])


def write(writer, kind, language, documents, most):
    name = lambda at: f"{kind}-{language or 'many'}/{at:04}"
    asked = collections.Counter(w for d in documents for q in d.questions for w in words(q.text))
    total = sum(len(d.questions) for d in documents) or 1
    content = lambda text: {w for w in words(text) if asked[w] <= max(2, COMMON * total)}
    taken = []
    for at, document in enumerate(documents):
        for n, question in enumerate(document.questions):
            shares = bool(content(question.text) & words(passage(document, question)))
            taken.append((question.what == "own" and shares, number(f"{kind}{language}{at}{n}"), at, question, shares))
    taken.sort(key=lambda row: row[:2])
    # Half of them at most share nothing; the others are what people ask of such documents.
    false = [row for row in taken if row[3].what == "false"][: most // 2]
    bare = [row for row in taken if not row[0] and row[3].what == "own"][: most // 2]
    taken = false + bare + [row for row in taken if row[0]][: most - len(bare)]
    for _, seed, at, question, shares in taken:
        document = documents[at]
        if question.what == "false":
            writer.add(kind, language, at, writer.document(name(at), document), "false", question, shares)
            continue
        writer.add(kind, language, at, writer.document(name(at), document), "own", question, shares, document.language)
        other = stranger(kind + language, documents, at, seed, question, content)
        if other is not None:
            writer.add(kind, language, at, writer.document(name(other), documents[other]), "other", question, shares, document.language)
        without = held(document, question)
        if kind not in REPEATS and without and len(without) * 2 < len(document.blocks) + len(document.head.splitlines()):
            doc = writer.document(f"{name(at)}-{seed % 10**6}", document, without)
            writer.add(kind, language, at, doc, "without", question, shares)
    bad = [(number(q), at, q) for at, d in enumerate(documents) for q in d.unanswered]
    for _, at, text in sorted(bad)[: most // 2]:
        writer.add(kind, language, at, writer.document(name(at), documents[at]), "set", sets.Question(text, [], []), False)


def held(document, question):
    """All of the document that answers: its passages, and others with the words of the answer."""
    answers = [answer.lower() for answer in question.answers if len(answer) > 2]
    also = [n for n, block in enumerate(document.blocks) if any(answer in block.lower() for answer in answers)]
    return set(question.blocks) | set(also)


def stranger(key, documents, at, seed, question, content):
    """Another document of the same part that cannot answer; None if no such one is found."""
    asked = content(question.text)
    for step in range(1, 60):
        other = (at + 1 + (seed + step * 7919) % max(1, len(documents) - 1)) % len(documents)
        text = "\n".join([documents[other].head, *documents[other].blocks]).lower()
        if other == at or split(key, other) != split(key, at) or documents[other].language != documents[at].language or any(len(a) > 3 and a.lower() in text for a in question.answers):
            continue
        kind = re.sub(r"[a-z]{2}$", "", key) if key not in NAMELESS else key
        if kind in NAMELESS and (not asked or len(asked & words(text)) > MOST_SHARED * len(asked)):
            continue
        return other
    return None


def main():
    root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    writer = Writer(out)
    for kind, language, read in KINDS:
        documents = [d for d in read(root) if d.blocks]
        write(writer, kind, language, documents, most)
        own = [r for r in writer.rows if r["kind"] == kind and r["language"] == language]
        print(kind, language, len(documents), "documents;", dict(collections.Counter(r["what"] for r in own)), flush=True)
    lines = [json.dumps({"id": n, **row}, ensure_ascii=False) for n, row in enumerate(writer.rows)]
    (out / "questions.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    asked = {(r["kind"], r["question"]) for r in writer.rows}
    bare = {(r["kind"], r["question"]) for r in writer.rows if r["what"] == "own" and not r["shares"]}
    print(len(asked), "questions,", len(bare), "of them share no content word with their passage;", len(writer.rows), "rows")


if __name__ == "__main__":
    main()
