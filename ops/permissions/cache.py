"""What the user of the cache must and must not be able to do, tried on a private Redis."""

import re
import shutil
import socket
import subprocess
import time

from .trial import ROOT, expect, free_port, password, skip


class Refused(Exception):
    """Redis said no."""


class Redis:
    """As much of a client as this needs."""

    def __init__(self, port):
        self.stream = socket.create_connection(("127.0.0.1", port), timeout=10).makefile("rwb")

    def ask(self, *words):
        self.stream.write(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in map(str.encode, map(str, words))))
        self.stream.flush()
        return self.answer()

    def answer(self):
        line = self.stream.readline().rstrip(b"\r\n")
        kind, rest = line[:1], line[1:]
        if kind == b"-":
            raise Refused(rest.decode())
        if kind == b"$" and int(rest) >= 0:
            return self.stream.read(int(rest) + 2)[:-2].decode()
        if kind == b"*" and int(rest) >= 0:
            return [self.answer() for _ in range(int(rest))]
        return rest.decode()


def check_redis(directory, secrets):
    if not shutil.which("redis-server"):
        return skip("redis-server is not installed: nobody tried what Redis's user may do")
    port = free_port()
    command = [
        "redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", str(directory), "--save", "", "--appendonly", "no",
        "--aclfile", str(secrets / "redis-users.acl"), "--maxmemory", "64mb", "--maxmemory-policy", "allkeys-lru",
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 20
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"Redis does not start:\n{server.stdout.read1().decode()}") from None
                time.sleep(0.05)
        try_redis(port, secrets)
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


def try_redis(port, secrets):
    stranger = Redis(port)
    expect(refused(stranger, "PING") and refused(stranger, "GET", "precis:x"), "Redis answers a client without a password")
    health = Redis(port)
    health.ask("AUTH", "health", "none")
    expect(health.ask("PING") == "PONG", "the health check gets no answer")
    expect(refused(health, "GET", "precis:x"), "the health check may read")

    worker = Redis(port)
    worker.ask("AUTH", "precis-worker", password(secrets, "worker"))
    may = [
        ("PING",), ("SET", "precis:a", "1", "PX", 1000), ("GET", "precis:a"), ("EXISTS", "precis:a"), ("UNLINK", "precis:a"),
        ("HGET", "precis:h", "f"), ("SCRIPT", "LOAD", "return 1"), ("EVAL", "return 1", 0),
    ]
    for words in may:
        answer = refused(worker, *words)
        expect(not answer, f"precis-worker must be able to {' '.join(map(str, words))}: {answer}")
    try_scripts(worker)
    may_not = [
        ("FLUSHALL",), ("FLUSHDB",), ("KEYS", "*"), ("SCAN", 0), ("CONFIG", "GET", "*"), ("CONFIG", "SET", "save", "1 1"), ("DEBUG", "SLEEP", 0),
        ("ACL", "LIST"), ("SHUTDOWN", "NOSAVE"), ("SCRIPT", "FLUSH"), ("CLIENT", "KILL", "ID", 1), ("MONITOR",), ("REPLICAOF", "NO", "ONE"),
        ("GET", "other:a"), ("SET", "other:a", "1"), ("PUBLISH", "c", "m"), ("RANDOMKEY",), ("DUMP", "precis:a"), ("SAVE",), ("MODULE", "LIST"),
        ("EVAL", "return redis.call('GET', KEYS[1])", 1, "other:a"), ("EVAL", "return redis.call('KEYS', '*')", 0),
    ]
    for words in may_not:
        expect(refused(worker, *words), f"precis-worker may {' '.join(map(str, words))}, which nobody needs")


def try_scripts(worker):
    """Every command that a script of the store calls, called by a script, as access control judges it there."""
    scripts = sorted((ROOT / "common/runtime/src/store/redis").glob("*.lua"))
    called = {name.upper() for script in scripts for name in re.findall(r"redis\.call\(\s*['\"](\w+)", script.read_text())}
    expect(called, "no script of the store was found")
    arguments = {
        "TIME": "", "GET": "KEYS[1]", "STRLEN": "KEYS[1]", "DEL": "KEYS[1]", "PTTL": "KEYS[1]", "SET": "KEYS[1], '1', 'PX', '9'", "PEXPIRE": "KEYS[1], '9'",
        "HGET": "KEYS[2], 'f'", "HMGET": "KEYS[2], 'f', 'g'", "HSET": "KEYS[2], 'f', '1'", "HDEL": "KEYS[2], 'f'", "EXISTS": "KEYS[1]",
        "HGETALL": "KEYS[2]", "HINCRBY": "KEYS[2], 'f', 1",
    }
    for name in sorted(called):
        given = arguments.get(name)
        if given is None:
            expect(False, f"a script calls {name}, and nobody tried whether precis-worker may: add it to try_scripts")
            continue
        call = f"redis.call('{name}'{', ' if given else ''}{given}) return 1"
        answer = refused(worker, "EVAL", call, 2, "precis:s", "precis:t")
        expect(not answer, f"precis-worker must be able to call {name} in a script: {answer}")


def refused(client, *words):
    try:
        client.ask(*words)
    except Refused as error:
        return str(error)
    return ""
