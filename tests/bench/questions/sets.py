"""Readers of public question sets and documents: each yields documents with the questions asked of them.

They read bare clones `OWNER+NAME/repo` of public repositories; nothing of these is part of this project. A reader that does not find its
clone yields nothing."""
import csv, io, json, pathlib, re, subprocess
from dataclasses import dataclass, field

csv.field_size_limit(10**9)


@dataclass
class Question:
    text: str
    blocks: list            # indexes of the blocks that hold the answer
    answers: list           # its words; empty if the blocks are all that is known
    what: str = "own"       # "own", or "false" for a question whose premise the document denies


@dataclass
class Document:
    title: str
    blocks: list            # paragraphs, headings and tables in Markdown
    questions: list = field(default_factory=list)
    head: str = ""          # front matter
    unanswered: list = field(default_factory=list)   # questions of the set that its makers found unanswerable here
    language: str = ""      # if the documents of a kind have several


class Mirror:
    def __init__(self, root, name):
        self.git = ["git", f"--git-dir={pathlib.Path(root) / name.replace('/', '+') / 'repo'}"]
        self.files = None

    def paths(self, pattern):
        out = subprocess.run([*self.git, "ls-tree", "-r", "-z", "--name-only", "HEAD"], capture_output=True, text=True).stdout
        return [path for path in out.split("\0") if re.fullmatch(pattern, path)]

    def bytes(self, path):
        """The file at `path`; empty if there is none. One process answers for all files of a clone."""
        if self.files is None:
            self.files = subprocess.Popen([*self.git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.files.stdin.write(f"HEAD:{path}\n".encode())
        self.files.stdin.flush()
        head = self.files.stdout.readline().split()
        if len(head) < 3 or head[1] != b"blob":
            return b""
        held = self.files.stdout.read(int(head[2]))
        self.files.stdout.read(1)
        return held

    def text(self, path):
        return self.bytes(path).decode("utf-8", "replace")


def squad(data, most_blocks=40):
    """Articles of a set in SQuAD's form."""
    for article in data:
        blocks, questions, unanswered = [], [], []
        for paragraph in article["paragraphs"][:most_blocks]:
            blocks.append(" ".join(paragraph["context"].split()))
            for qa in paragraph["qas"]:
                answers = [answer["text"] for answer in qa.get("answers", [])]
                if qa.get("is_impossible") or not answers:
                    unanswered.append(qa["question"])
                else:
                    questions.append(Question(qa["question"], [len(blocks) - 1], list(dict.fromkeys(answers))))
        yield Document(article.get("title") or "", blocks, questions, unanswered=unanswered)


def squad_file(root, name, *paths):
    mirror = Mirror(root, name)
    for path in paths:
        text = mirror.text(path)
        if text:
            yield from squad(json.loads(text)["data"])


def wiki_es(root):
    for document in squad_file(root, "ccasimiro88/TranslateAlignRetrieve", "SQuAD-es-v2.0/dev-v2.0-es_small.json"):
        yield document


def wiki_de(root):
    data = Mirror(root, "LSX-UniWue/SuperGLEBer").bytes("data/XGlue/MLQA/validation/data-00000-of-00001.arrow")
    if not data:
        return
    import pyarrow
    by_context = {}
    for row in pyarrow.ipc.open_stream(io.BytesIO(data)).read_all().to_pylist():
        by_context.setdefault(row["context"], []).append(row)
    # Its paragraphs come without their article: five of them make a document.
    contexts = list(by_context)
    for at in range(0, len(contexts) - 4, 5):
        own = contexts[at:at + 5]
        questions = [Question(row["question"].strip(), [n], row["answers"]["text"]) for n, c in enumerate(own) for row in by_context[c]]
        yield Document("", [" ".join(c.split()) for c in own], questions)


def wiki_it(root):
    import gzip
    data = Mirror(root, "crux82/squad-it").bytes("SQuAD_it-test.json.gz")
    if data:
        yield from squad(json.loads(gzip.decompress(data))["data"])


def wiki_zh(root):
    articles = [d for d in squad_file(root, "ymcui/cmrc2018", "squad-style-data/cmrc2018_dev.json")]
    yield from grouped(articles, 4)


def wiki_ja(root):
    yield from squad_file(root, "SkelterLabsInc/JaQuAD", "data/dev/jaquad_dev_0000.json", "data/dev/jaquad_dev_0001.json")


def wiki_tr(root):
    yield from squad_file(root, "TQuad/turkish-nlp-qa-dataset", "dev-v0.1.json")


def wiki_ar(root):
    yield from squad_file(root, "husseinmozannar/SOQAL", "data/arcd.json")


def course_pt(root):
    yield from squad_file(root, "liafacom/faquad", "data/dataset.json")


def policy(root):
    for document in squad_file(root, "wasiahmad/PolicyQA", "data/dev.json", "data/test.json"):
        yield document


def authority_fr(root):
    pages = [d for d in squad_file(root, "etalab-ia/piaf-ml", "clients/cnil/knowledge_base/squad.json",
                                   "clients/dila/knowledge_base/raw_and_preparation/manual_dataset_aide.json")]
    for page in pages:
        blocks = [" ".join(part.split()) for part in re.split(r"(?<=[.;:!?])\s*(?=[A-ZÀÉ])", page.blocks[0])]
        for question in page.questions:
            question.blocks, question.answers = list(range(len(blocks))), []
        yield Document("", blocks, [q for q in page.questions if q.text.strip().endswith("?")])


def grouped(documents, size):
    """Documents of one paragraph, `size` of them as one."""
    for at in range(0, len(documents) - size + 1, size):
        whole = Document("", [])
        for document in documents[at:at + size]:
            for question in document.questions:
                question.blocks = [n + len(whole.blocks) for n in question.blocks]
            whole.blocks += document.blocks
            whole.questions += document.questions
        yield whole


def web(root):
    text = Mirror(root, "haonan-li/MultiSpanQA").text("data/MultiSpanQA_data/valid.json")
    documents = []
    for row in json.loads(text)["data"] if text else []:
        spans, own = [], []
        for word, label in zip(row["context"], row["label"]):
            if label == "B":
                spans.append(own := [word])
            elif label == "I" and own:
                own.append(word)
        context = re.sub(r" ([,.;:)%])", r"\1", " ".join(row["context"])).replace("( ", "(")
        question = " ".join(row["question"]) + "?"
        documents.append(Document("", [context], [Question(question[0].upper() + question[1:], [0], [" ".join(s) for s in spans])]))
    yield from documents


def table_text(rows):
    cell = lambda text: " ".join(str(text).replace("|", "/").split())
    width = max(map(len, rows))
    lines = ["| " + " | ".join(cell(c) for c in [*row, *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])


def finance(root):
    text = Mirror(root, "NExTplusplus/TAT-QA").text("dataset_raw/tatqa_dataset_dev.json")
    for entry in json.loads(text) if text else []:
        blocks = [table_text(entry["table"]["table"])] + [" ".join(p["text"].split()) for p in entry["paragraphs"]]
        questions = []
        for q in entry["questions"]:
            answers = [str(a) for a in (q["answer"] if isinstance(q["answer"], list) else [q["answer"]])]
            if q["answer_type"] in ("span", "multi-span"):
                held = [n for n, block in enumerate(blocks) if any(a in block for a in answers)]
                questions.append(Question(q["question"], held, answers))
        yield Document("", blocks, questions)


def tables(root):
    mirror, documents = Mirror(root, "ppasupat/WikiTableQuestions"), {}
    for row in csv.DictReader(io.StringIO(mirror.text("data/pristine-unseen-tables.tsv")), delimiter="\t", quoting=csv.QUOTE_NONE):
        path = row["context"]
        if path not in documents and len(documents) < 120:
            rows = [r for r in csv.reader(io.StringIO(mirror.text(path)), escapechar="\\") if r]
            documents[path] = (Document("", [table_text(rows)]), rows) if rows and len(rows) < 60 else None
        held = documents.get(path)
        answers = row["targetValue"].split("|")
        if held and all(any(a == c.strip() for r in held[1] for c in r) for a in answers):
            held[0].questions.append(Question(row["utterance"][0].upper() + row["utterance"][1:], [0], answers))
    yield from (held[0] for held in documents.values() if held)


def meeting(root):
    mirror = Mirror(root, "Yale-LILY/QMSum")
    lines = mirror.text("data/ALL/jsonl/val.jsonl").splitlines() + mirror.text("data/ALL/jsonl/test.jsonl").splitlines()
    for line in lines:
        row = json.loads(line)
        blocks = [f"{turn['speaker']}: {' '.join(turn['content'].split())}" for turn in row["meeting_transcripts"]]
        questions = []
        for q in row["specific_query_list"]:
            held = [n for a, b in q["relevant_text_span"] for n in range(int(a), int(b) + 1)]
            questions.append(Question(q["query"], held, []))
        yield Document("", blocks, questions)


def paper(root):
    text = Mirror(root, "pubmedqa/pubmedqa").text("data/ori_pqal.json")
    for row in (json.loads(text) if text else {}).values():
        blocks = [*row["CONTEXTS"], row["LONG_ANSWER"]]
        held = [n for n, label in enumerate(row["LABELS"]) if label.upper().startswith(("RESULT", "CONCL", "FIND"))] + [len(blocks) - 1]
        if len(held) < len(blocks) and row["final_decision"] != "maybe":
            yield Document("", blocks, [Question(row["QUESTION"], held, [])])


def review(root):
    mirror, seen = Mirror(root, "megagonlabs/SubjQA"), set()
    for domain in ("restaurants", "tripadvisor", "electronics", "grocery", "books", "movies"):
        for row in csv.DictReader(io.StringIO(mirror.text(f"SubjQA/{domain}/splits/test.csv"))):
            if row["q_reviews_id"] in seen:
                continue
            seen.add(row["q_reviews_id"])
            body = row["review"].replace("ANSWERNOTFOUND", "").strip()
            blocks = [" ".join(part.split()) for part in re.split(r"(?<=[.!?])\s+", body) if part.strip()]
            text, span = row["question"].strip(), " ".join(row["human_ans_spans"].split())
            if span == "ANSWERNOTFOUND":
                yield Document("", blocks, unanswered=[text])
                continue
            held = [n for n, block in enumerate(blocks) if block in span or span in block]
            if held:
                yield Document("", blocks, [Question(text, held, [span])])


def faq(root):
    text = Mirror(root, "deepset-ai/COVID-QA").text("data/faqs/faq_200327.tsv")
    pages = {}
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        pages.setdefault((row["lang"], row["name"]), []).append(row)
    for (language, name), rows in pages.items():
        for at in range(0, len(rows), 12):
            part = rows[at:at + 12]
            blocks = [" ".join(row["answer"].split()) for row in part]
            questions = [Question(" ".join(row["question"].split()), [n], []) for n, row in enumerate(part) if "?" in row["question"]]
            yield Document("", blocks, questions, language=language)
