"""What standing aside would lose: of questions whose answer is known, how often its document is among those that stay whole, and how much
of all text stays whole, for several shares of the highest relevance.

    python3 tests/bench/stands_aside.py PRECIS --sets DIR... [--questions N] [--documents N]

Sets and draws are those of tokens_per_fact.py. Relevance is what the program says of each source, with the built-in model. The exception
for the five most important sources, which are always whole, is left out: it only keeps more.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import tokens_per_fact

SHARES = (0.4, 0.5, 0.6, 0.7, 0.8)
# As in common/context/src/allocate/aside.rs: below it nothing stands aside.
LEAST_OF_BEST = 0.4


def rows(program, question, files):
    """Relevance, size, and whether it may hold the answer, of each document."""
    with tempfile.TemporaryDirectory() as out:
        command = [program, "run", "--quiet", "--no-cache", "--query", question, "--out", f"{out}/r", "--docs", *map(str, files)]
        subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        sources = json.loads(pathlib.Path(f"{out}/r/report.json").read_text(encoding="utf-8"))["data"]["sources"]
    return {pathlib.Path(row["path"]).name: (row["relevance"], row["chars"]) for row in sources if row.get("relevance") is not None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--sets", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--documents", type=int, default=8)
    args = parser.parse_args()
    for folder in args.sets:
        kept, held, asked = dict.fromkeys(SHARES, 0), dict.fromkeys(SHARES, 0.0), 0
        for question, files, facts in tokens_per_fact.asked(folder, args.questions, args.documents):
            found = rows(args.program, question, files)
            holds = {file.name for file in files if any(fact.lower() in file.read_text(encoding="utf-8").lower() for fact in facts)}
            if not holds & found.keys():
                continue
            asked += 1
            best, size = max(relevance for relevance, _ in found.values()), sum(chars for _, chars in found.values())
            for share in SHARES:
                whole = {name for name, (relevance, _) in found.items() if best < LEAST_OF_BEST or relevance >= share * best}
                kept[share] += bool(whole & holds)
                held[share] += sum(found[name][1] for name in whole) / size
        told = ", ".join(f"{share}: {kept[share] / asked:.2f} {held[share] / asked:.2f}" for share in SHARES)
        print(f"{folder.name}, {args.documents} documents, {asked} questions: {told}", flush=True)


if __name__ == "__main__":
    main()
