"""Counting `o200k` with Python tiktoken, on the texts that `bench-tokens --texts DIR` wrote.

    python3 tests/bench/tiktoken.py DIR [--vocabulary FILE]

Prints megabytes per second of processor time and the count of each text; the lower middle one of five runs. Needs the package tiktoken. FILE is
o200k_base.tiktoken where the package cannot fetch it, such as the one in the crate tiktoken-rs.
"""

import argparse
import hashlib
import pathlib
import shutil
import sys
import tempfile
import time

RUNS = 5
ADDRESS = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"


def encoding(vocabulary):
    """The encoding, from FILE where one is given."""
    # This file has the package's name.
    sys.path = [p for p in sys.path if pathlib.Path(p or ".").resolve() != pathlib.Path(__file__).resolve().parent]
    if vocabulary:
        import os

        cache = tempfile.mkdtemp()
        shutil.copy(vocabulary, pathlib.Path(cache) / hashlib.sha1(ADDRESS.encode()).hexdigest())
        os.environ["TIKTOKEN_CACHE_DIR"] = cache
    import tiktoken

    return tiktoken.get_encoding("o200k_base")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--vocabulary", type=pathlib.Path)
    args = parser.parse_args()
    counter = encoding(args.vocabulary)
    for path in sorted(args.dir.glob("*.txt")):
        text = path.read_text(encoding="utf-8")
        size, seconds, tokens = len(text.encode()), [], "fails"
        for _ in range(RUNS):
            start = time.process_time()
            try:
                tokens = len(counter.encode_ordinary(text))
            except BaseException as error:  # a panic: its regular expression overflows its stack on a million spaces
                if isinstance(error, KeyboardInterrupt):
                    raise
                break
            seconds.append(time.process_time() - start)
        rate = f"{size / 1e6 / sorted(seconds)[(RUNS - 1) // 2]:.1f}" if len(seconds) == RUNS else "-"
        print(f"{path.stem:<22}{rate:>10}{tokens:>12}", flush=True)


if __name__ == "__main__":
    main()
