"""What documents cost to read and search, beside pdftotext, pypdf and a Python program of the same design.

    cargo build --release --workspace
    python3 tests/bench/documents.py --docs DIR [--bin DIR]

DIR holds PDFs. Needs pdftotext (poppler-utils) and the package pypdf[crypto]. Every time is processor time of one core, the best of
three (pypdf: of one); nothing is asserted. A file on which another program takes longer than a minute is left out of that program's
pages and named. Precis reads PDFs in the process that is measured here; a session reads them in a child process, of which the memory is
measured.
"""

import argparse
import contextlib
import json
import pathlib
import platform
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import reference

# Seconds that a program may take for one file: some loop for ever on a damaged one.
PATIENCE = 60
QUERY = "main findings methods results risks costs"
MEGABYTE = 1_000_000


def processor_seconds():
    """Used so far by this process and by those it waited for."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def best(work, repeats=3):
    """Least processor time of `work` in seconds, and what it returned."""
    times, result = [], None
    for _ in range(repeats):
        begun = processor_seconds()
        result = work()
        times.append(processor_seconds() - begun)
    return min(times), result


def by_bench(program, mode, files):
    """What the product's own measurement says: seconds and counts, process start not included."""
    ended = subprocess.run([program, mode, "--query", QUERY, *map(str, files)], capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)


def by_pdftotext(files):
    """The files that it did not finish."""
    return [file for file in files if not ends_in_time(["pdftotext", "-q", str(file), "-"])]


def ends_in_time(command):
    """Whether `command` ends within the time for one file; otherwise it is killed."""
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE)
        return True
    except subprocess.TimeoutExpired:
        return False


def start_of_pdftotext():
    subprocess.run(["pdftotext", "-v"], stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def in_time():
    """Ends what is done inside with `TimeoutError` once it has taken the time for one file."""

    def too_long(_signal, _frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def by_pypdf(files):
    """The files that it did not finish."""
    import logging

    import pypdf

    logging.disable(logging.CRITICAL)
    unfinished = []
    for file in files:
        try:
            with in_time():
                for page in pypdf.PdfReader(file).pages:
                    page.extract_text()
        except TimeoutError:
            unfinished.append(file)
        except Exception:  # a file it cannot read costs what it costs
            pass
    return unfinished


def long_pdf(files, pages, to):
    """A PDF of `pages` pages, made of the first pages of `files` over and over."""
    import pypdf

    writer = pypdf.PdfWriter()
    readable = []
    for file in files:
        try:
            with in_time():
                readable.extend(pypdf.PdfReader(file).pages[:2])
        except Exception:
            continue
    for number in range(pages):
        writer.add_page(readable[number % len(readable)])
    writer.write(to)


def peak_of(command):
    """Most resident bytes of the largest process that `command` starts, itself included; each keeps its own high-water mark."""
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    largest = 0
    while running.poll() is None:
        largest = max(largest, *map(high_water, tree(running.pid)))
        time.sleep(0.002)
    return largest * 1024


def tree(pid):
    """A process and all below it."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [below for child in task.read_text().split() for below in tree(int(child))]
        except OSError:  # it has ended meanwhile
            pass
    return found


def high_water(pid):
    """Kibibytes; 0 for a process that has ended."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM:")), 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=pathlib.Path, required=True)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("target/release"))
    asked = parser.parse_args()
    bench, precis = asked.bin / "bench-documents", asked.bin / "precis"
    files = sorted(asked.docs.rglob("*.pdf"))
    print(f"{platform.processor() or platform.machine()}, {len(files)} PDFs")

    ours = by_bench(bench, "pdf", files)
    # pdftotext reads the same files: those of which we got pages.
    read = [file for file, pages in zip(files, ours["pages_by_file"]) if pages > 0]
    pages = ours["pages"]
    print(f"precis      {pages / ours['seconds']:8.0f} pages/s   ({pages} pages of {len(read)} files)")
    pages_of = dict(zip(files, ours["pages_by_file"]))
    if shutil.which("pdftotext"):
        start, _ = best(start_of_pdftotext, 5)
        seconds, finished, rest = of_finished(by_pdftotext, read)
        net = max(seconds - start * len(finished), 1e-9)
        print(f"pdftotext   {sum(map(pages_of.get, finished)) / net:8.0f} pages/s   (process start of {start * 1000:.1f} ms taken off){rest}")
    seconds, finished, rest = of_finished(by_pypdf, read, 1)
    print(f"pypdf       {sum(map(pages_of.get, finished)) / seconds:8.0f} pages/s{rest}")

    with tempfile.TemporaryDirectory() as scratch:
        text = pathlib.Path(scratch) / "text.txt"
        text.write_text(ours_text(precis, read))
        searched = by_bench(bench, "text", [text])
        size = text.stat().st_size / MEGABYTE
        raw = text.read_text()
        seconds, _ = best(lambda: reference.evidence(reference.canonical(raw), QUERY))
        print(f"canonicalise, chunk, score, locate: precis {size / searched['seconds']:.1f} MB/s, Python {size / seconds:.2f} MB/s")
        long = pathlib.Path(scratch) / "long.pdf"
        long_pdf(read, 500, long)
        peak = peak_of([str(precis), "extract", str(long)])
        print(f"500 pages, {long.stat().st_size / MEGABYTE:.1f} MB: largest process {peak / MEGABYTE:.0f} MB resident")


def of_finished(run, files, repeats=3):
    """Least processor time of `run` for the files that it finishes; these files; and what to say of the others."""
    seconds, unfinished = best(lambda: run(files), repeats)
    finished = [file for file in files if file not in unfinished]
    if unfinished:
        seconds, _ = best(lambda: run(finished), repeats)
    return seconds, finished, "".join(f"\n            not finished in {PATIENCE} s: {file.name}" for file in unfinished)


def ours_text(precis, files, least=4 * MEGABYTE):
    """Text of the PDFs, repeated until it is long enough to be measured."""
    texts = []
    for file in files[:40]:
        ended = subprocess.run([precis, "extract", str(file)], capture_output=True, text=True)
        texts.append(ended.stdout)
    text = "".join(texts)
    return text * max(1, -(-least // max(1, len(text))))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main()
