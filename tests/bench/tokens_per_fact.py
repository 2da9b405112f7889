"""What a gold fact costs in tokens and dollars, of several builds of the program beside each other.

    python3 tests/bench/tokens_per_fact.py --sets DIR... --build NAME=PRECIS... [--questions N] [--documents N] [--vocabulary FILE]

A set is a folder with `docs/` and `questions.jsonl`: a question, the files that answer it (`gold`), and its facts, the short ones
(`values`) or else the passages (`spans`). Each question is asked of its gold files and others of their folder, drawn by chance and always
the same. Every build talks to the same scripted server, which counts each call with tiktoken and answers with sentences of what it was
sent: those with most words of the question. So what differs is what the builds send. Needs the package tiktoken; see tiktoken.py.
"""

import argparse
import collections
import http.server
import importlib.util
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import threading

import reference

# US dollars per million tokens, in and out.
PRICES = {"gpt-5.4-nano": (0.2, 1.25), "gpt-5.4": (2.5, 15.0)}
SETTINGS = """
[providers.openai]
base_url = "http://127.0.0.1:{port}/v1"
[roles.summarization]
providers = ["openai:gpt-5.4-nano"]
[roles.compression]
providers = ["openai:gpt-5.4-nano"]
[roles.synthesis]
providers = ["openai:gpt-5.4"]
"""
ROLES = ("summarization", "compression", "synthesis")
COLUMNS = ("asked", "build", "calls to summarize, compress, write", "tokens sent to these", "tokens answered", "facts sent to the last call",
           "facts in the report", "tokens per fact sent", "tokens per fact reported", "dollars", "dollars per 1,000 facts reported")
PIECE = re.compile(r"^#([0-9a-f]{8})(?: (.*))?$")
SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")
# Letters by which two forms of a word are taken for one.
STEM = 6
SEED = 20


def encoding(vocabulary):
    """The vocabulary, by the file beside this one, which has the package's name."""
    spec = importlib.util.spec_from_file_location("counting", pathlib.Path(__file__).with_name("tiktoken.py"))
    counting = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(counting)
    return counting.encoding(vocabulary)


def stems(text):
    return {word[:STEM] for word in reference.terms(text)}


def best(texts, question, most):
    """Texts with words of the question, those with most of them first; what has less than half as many as the first bears on nothing."""
    wanted = stems(question)
    ranked = sorted((-len(stems(text) & wanted), place) for place, text in enumerate(texts))
    return [texts[place] for score, place in ranked[:most] if score and score * 2 <= ranked[0][0]]


def sentences(text):
    return [sentence.strip() for sentence in SENTENCE.split(text) if sentence.strip()]


def fitted(texts, words):
    """The first of `texts` that have at most so many words together; one at least."""
    kept, used = [], 0
    for text in texts:
        used += len(text.split())
        if kept and used > words:
            break
        kept.append(text)
    return kept


def pieces(text):
    """Number and body of each citable piece, and the bodies of all."""
    cited, every, number, body = [], [], None, None
    for line in text.split("\n"):
        mark = PIECE.match(line)
        if not mark:
            if body is not None:
                body.append(line)
            continue
        if body is not None:
            every.append("\n".join(body).strip())
            if number:
                cited.append((int(number), every[-1]))
        head = mark[2] or ""
        number = (re.match(r"(\d+)\b", head) or [None, None])[1]
        body = None if head == "end" else []
    return cited, every


def answer(text):
    """What a model that only quotes says: the kind of the call, and the answer."""
    task = text.rsplit(" end\n", 1)[-1]
    question = re.findall(r"^Question: (.*)$", task, re.M)[-1]
    words = int((re.findall(r"about (\d+) words", task) or ["200"])[-1])
    cited, every = pieces(text)
    if '"findings"' in task:
        most = int(re.findall(r"at most (\d+) findings", task)[-1])
        spoken = {quote: number for number, body in cited for quote in best(sentences(body), question, 1)}
        findings = best(list(spoken), question, most)
        shown = [{"statement": quote, "passages": [spoken[quote]], "score": 0.9 - 0.001 * n} for n, quote in enumerate(findings)]
        return "compression", json.dumps({"findings": shown}, ensure_ascii=False)
    if '"summary"' in task:
        said = best(sentences("\n".join(every)), question, 1_000) or sentences("\n".join(every))
        summary = {"summary": " ".join(fitted(said, words))}
        if '"key_points"' in task:
            summary["key_points"] = said[:5]
        return "summarization", json.dumps(summary, ensure_ascii=False)
    found = {body: number for number, body in cited}
    ranked = best(list(found), question, 1_000) or list(found)
    return "synthesis", "\n\n".join(f"{' '.join(body.split())} [{found[body]}]" for body in fitted(ranked, words))


class Server:
    """Counts and answers calls; `calls` holds those since it was last emptied."""

    def __init__(self, counter):
        self.calls, lock, server = [], threading.Lock(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def say(self, status, body):
                body = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.say(404, {"error": {"message": "no such place"}})

            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                texts = [message["content"] for message in request["messages"]]
                schema = json.dumps(request.get("response_format", {}).get("json_schema") or "")
                role, text = answer("\n".join(texts))
                asked = sum(len(counter.encode_ordinary(each)) for each in [*texts, schema])
                said = len(counter.encode_ordinary(text))
                with lock:
                    server.calls.append({"role": role, "model": request["model"], "in": asked, "out": said, "text": "\n".join(texts)})
                message = {"role": "assistant", "content": text}
                usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
                choices = [{"index": 0, "finish_reason": "stop", "message": message}]
                self.say(200, {"id": "x", "object": "chat.completion", "model": request["model"], "choices": choices, "usage": usage})

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()


def plain(text):
    """Letters and digits in lower case, one space between words, and one at each end."""
    return " " + " ".join(re.findall(r"\w+", text.lower())) + " "


def asked(folder, count, documents):
    """Questions with their files and facts."""
    dice = random.Random(SEED)
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [question for question in map(json.loads, lines) if question.get("answerable", True)]
    for question in dice.sample(questions, min(count, len(questions))):
        gold = [folder / "docs" / path for path in question["gold"]]
        others = sorted(path for path in gold[0].parent.iterdir() if path.is_file() and path not in gold)
        files = gold + dice.sample(others, min(len(others), documents - len(gold)))
        yield question["question"].strip(), sorted(files), question["values"] or question["spans"]


def run(program, home, question, files):
    """The report of one question."""
    out = home / "out"
    shutil.rmtree(out, ignore_errors=True)
    command = [program, "run", "--quiet", "--no-cache", "--query", question, "--out", out, "--docs", *files]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "OPENAI_API_KEY": "scripted"}
    ended = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, timeout=600)
    if not (out / "report.json").exists():
        raise SystemExit(f"{program}: {ended.stderr.strip()}")
    return json.loads((out / "report.json").read_text(encoding="utf-8"))["data"]["report"]


def measured(program, server, questions):
    """Sums over all questions."""
    sums = collections.Counter()
    with tempfile.TemporaryDirectory() as home:
        home = pathlib.Path(home)
        (home / ".config/precis").mkdir(parents=True)
        (home / ".config/precis/precis.toml").write_text(SETTINGS.format(port=server.port), encoding="utf-8")
        for question, files, facts in questions:
            server.calls.clear()
            report = plain(run(program, home, question, files))
            last = plain(next((call["text"] for call in reversed(server.calls) if call["role"] == "synthesis"), ""))
            for call in server.calls:
                price = PRICES[call["model"]]
                sums[call["role"]] += 1
                sums["in"] += call["in"]
                sums["in of " + call["role"]] += call["in"]
                sums["out"] += call["out"]
                sums["dollars"] += (call["in"] * price[0] + call["out"] * price[1]) / 1e6
            sums["facts"] += len(facts)
            sums["sent"] += sum(plain(fact) in last for fact in facts)
            sums["reported"] += sum(plain(fact) in report for fact in facts)
    return sums


def row(asked_of, build, sums):
    """A row of the table."""
    tokens = sums["in"] + sums["out"]
    share = [f"{sums[facts] / sums['facts']:.2f}" for facts in ("sent", "reported")]
    per_fact = [f"{tokens / max(sums[facts], 1):,.0f}" for facts in ("sent", "reported")]
    calls = ", ".join(f"{sums[role]:,}" for role in ROLES)
    asked_by_role = ", ".join(f"{sums['in of ' + role]:,}" for role in ROLES)
    dollars = [f"{sums['dollars']:.2f}", f"{sums['dollars'] / max(sums['reported'], 1) * 1_000:.2f}"]
    return "| " + " | ".join([asked_of, build, calls, asked_by_role, f"{sums['out']:,}", *share, *per_fact, *dollars]) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--build", nargs="+", required=True, metavar="NAME=PRECIS")
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--documents", type=int, default=8)
    parser.add_argument("--vocabulary", type=pathlib.Path)
    args = parser.parse_args()
    server = Server(encoding(args.vocabulary))
    print("| " + " | ".join(COLUMNS) + " |\n|" + " --- |" * len(COLUMNS))
    for folder in args.sets:
        questions = list(asked(folder, args.questions, args.documents))
        for build in args.build:
            name, program = build.split("=", 1)
            print(row(f"{folder.name}, {len(questions)} questions", name, measured(program, server, questions)), flush=True)


if __name__ == "__main__":
    main()
