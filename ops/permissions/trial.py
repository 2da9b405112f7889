"""What a trial needs: expectations that are counted, free ports, and the secrets of a made-up fleet."""

import pathlib
import shutil
import socket
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Expectations that do not hold, one sentence each.
faults = []
# Every expectation, in order.
tried = []


def expect(holds, sentence):
    """Counts an expectation; `sentence` says what is wrong where it does not hold."""
    tried.append(sentence)
    if not holds:
        faults.append(sentence)


def skip(reason):
    """Says loudly what nobody tried."""
    print(f"SKIPPED: {reason}", file=sys.stderr)


def free_port():
    """A port of the loopback address that was free a moment ago."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def made_secrets(directory):
    """The secrets of a made-up fleet, as `compose/secrets.sh` makes them."""
    for name in ("compose", "ops"):
        shutil.copytree(ROOT / name, directory / name, ignore=shutil.ignore_patterns("secrets", "__pycache__"))
    subprocess.run(["bash", str(directory / "compose" / "secrets.sh")], check=True, stdout=subprocess.DEVNULL)
    return directory / "compose" / "secrets"


def password(secrets, user):
    """The password of a user, without the prefix `precis-`."""
    return (secrets / f"{user}.password").read_text().strip()
