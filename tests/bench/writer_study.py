#!/usr/bin/env python3
"""Replays drafts that a strong model wrote on six technical proposals, and counts what becomes of their statements.

    python3 tests/bench/writer_study.py target/debug/precis STUDY

STUDY is a folder with `eips/docs/*.md` (the sources), `eips/set.json` (the question) and `transcripts/fees/` (the drafts, and the prompt
with the findings that their numbers mean). Each draft is written by a scripted model: its numbers become those of the passages that have
most of the words of the finding. A judge that knows which statements are false answers, and then none.

A statement is kept if its words stand in the report unmarked. Prints one line for each draft and judge.
"""

import http.server
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

EXE, STUDY = sys.argv[1], pathlib.Path(sys.argv[2])
FEES = STUDY / "transcripts" / "fees"
PIECE = re.compile(r"^#[^\s#]\S* (\d+)\b[^\n]*\n(.*?)(?=^#[^\s#]\S* |\Z)", re.M | re.S)
SAID = re.compile(r"^#[^\s#]\S* statement (\d+)\b[^\n]*\n(.+?)$", re.M)


def flat(text):
    return re.sub(r"\W+", " ", re.sub(r"(\[\d+\])+", " ", text.replace("\\", ""))).strip().lower()


def findings():
    """The findings of the study by their numbers."""
    return {int(n): text for n, text in PIECE.findall((FEES / "0002.prompt.txt").read_text())}


def statements(draft, is_false):
    """The sentences, items and cells of `draft` that cite, each with whether it holds."""
    found, section_false = [], is_false
    for line in draft.splitlines():
        if line.startswith("#"):
            section_false = is_false or line.lower().endswith("false statements")
            continue
        parts = line.strip("| ").split("|")[1:] if line.startswith("|") else re.split(r"(?<=\.)\s+(?=[A-Z])", line)
        for part in parts:
            part = re.sub(r"^\s*(?:[-*]|\d+\.)\s+(?:\*\*[^*]+\*\*)?", "", part)
            if "[" in part and len(flat(part).split()) >= 4:
                found.append((flat(part), not section_false))
    return found


class Model:
    """The scripted model: writes `draft`, and judges by `labels` unless it is dead."""

    def __init__(self, draft, labels):
        self.draft, self.labels, self.dead, self.judgements, model = draft, labels, False, 0, self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def send(self, status, body):
                text = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def do_GET(self):
                self.send(200, {"object": "list", "data": [{"id": "m", "max_model_len": 200000}]})

            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                text = "\n".join(
                    m["content"] if isinstance(m["content"], str) else "".join(p.get("text", "") for p in m["content"])
                    for m in asked["messages"]
                )
                shape = json.dumps(asked.get("response_format") or {})
                if model.dead and '"verdict' in shape:
                    return self.send(400, {"error": {"message": "nobody is here"}})
                said = model.answer(text, shape)
                usage = {"prompt_tokens": len(text) // 4, "completion_tokens": len(said) // 4}
                choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
                self.send(200, {"id": "x", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage})

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, text, shape):
        pieces = [(int(n), piece) for n, piece in PIECE.findall(text)]
        if '"verdicts"' in shape:
            self.judgements += 1
            return json.dumps({"verdicts": [self.verdict(int(n), said, pieces) for n, said in SAID.findall(text)]})
        if '"replacements"' in shape:
            return json.dumps({"replacements": []})
        if '"verdict' in shape:
            return json.dumps({"verdict": "answered", "quote": pieces[0][1][:60] if pieces else "", "reason": ""})
        return cited(self.draft, pieces)

    def verdict(self, n, said, pieces):
        own = flat(said)
        known = next((ok for text, ok in self.labels if text == own or len(own) > 30 and (own in text or text in own)), None)
        # What is not of the draft is a control: it holds if it stands in a passage.
        ok = known if known is not None else any(own in flat(piece) for _, piece in pieces)
        shared = lambda line: len(set(own.split()) & set(flat(line).split()))
        lines = [line for _, piece in pieces for line in re.split(r"\n|(?<=\.)\s", piece) if len(flat(line).split()) >= 4]
        quote = max(lines, key=shared, default="")
        return {"statement": n, "verdict": "supported" if ok else "not_supported", "quote": quote[:300], "reason": "so it says"}


def cited(draft, pieces):
    """`draft` with the numbers of findings replaced by those of the passages that have most of their words."""
    bags = [(n, set(flat(text).split())) for n, text in pieces]
    rarity = lambda word: math.log((1 + len(bags)) / (1 + sum(word in bag for _, bag in bags)))
    best = {}
    for n, text in findings().items():
        words = set(flat(text).split())
        best[n] = max(bags, key=lambda bag: sum(rarity(word) for word in words & bag[1]), default=(1, None))[0]
    return re.sub(r"\[(\d+)\]", lambda m: f"[{best.get(int(m[1]), 1)}]", draft)


def run(model, folder):
    role = 'providers = ["me:m"]'
    config = f'[providers.me]\nkind = "openai"\nbase_url = "http://127.0.0.1:{model.port}/v1"\n'
    (folder / "c.toml").write_text(config + "".join(f"[roles.{name}]\n{role}\n" for name in ("synthesis", "evaluation")))
    question = json.loads((STUDY / "eips" / "set.json").read_text())["question"]
    args = ["run", "--query", question, "--docs", STUDY / "eips" / "docs", "--config", folder / "c.toml", "--out", folder / "o"]
    done = subprocess.run([EXE, *map(str, args), "--no-cache", "--quiet", "--force"], capture_output=True, text=True)
    path = folder / "o" / "report.json"
    assert path.exists(), done.stderr[-300:]
    assert subprocess.run([EXE, "verify", path], capture_output=True).returncode == 0, "the report does not verify"
    return json.loads(path.read_text())["data"]


def counted(data, labels):
    body, marked = flat(data["report"]), {flat(claim["text"]) for claim in data["claims"] if claim["done"] != "kept"}
    is_marked = lambda text: any(text == other or len(other) > 30 and (text in other or other in text) for other in marked)
    kept = lambda text: text in body and not is_marked(text)
    count = lambda holds: (sum(kept(text) for text, ok in labels if ok == holds), sum(ok == holds for _, ok in labels))
    present = sum(text in body for text, ok in labels if ok)
    return count(True), count(False), present


def main():
    last = (FEES / "0002.answer.txt").read_text()
    body, falsified = last.rstrip().rsplit("\n\n", 1)
    drafts = [("1", body, False), ("1, false ones", falsified, True)]
    drafts += [(str(n), (FEES / f"draft-{n}.md").read_text(), n == 6) for n in range(2, 7)]
    print("draft | honest kept, judge | false kept, judge | calls | honest present, nobody judges")
    for name, draft, is_false in drafts:
        labels = statements(draft, is_false)
        model = Model(draft, labels)
        with tempfile.TemporaryDirectory() as folder:
            (kept, honest), (passed, false), _ = counted(run(model, pathlib.Path(folder)), labels)
        calls, model.dead = model.judgements, True
        with tempfile.TemporaryDirectory() as folder:
            _, _, present = counted(run(model, pathlib.Path(folder)), labels)
        print(f"{name} | {kept} of {honest} | {passed} of {false} | {calls} | {present} of {honest}", flush=True)
        model.server.shutdown()


main()
