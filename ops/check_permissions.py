#!/usr/bin/env python3
"""Tries the broker's users and the cache's user on real servers: what each must be able to do, and what none may.

Starts a private RabbitMQ and a private Redis on free loopback ports inside a temporary directory, with the files that
`compose/secrets.sh` makes, and ends them. Needs `rabbitmq-server`, `redis-server` and Python's `pika`; what is missing is skipped
and said. Exit 1 names every expectation that does not hold.
"""

import pathlib
import sys
import tempfile

from permissions.cache import check_redis
from permissions.trial import faults, made_secrets, tried
from permissions.users import check_rabbit


def main():
    with tempfile.TemporaryDirectory(prefix="precis-check-") as name:
        directory = pathlib.Path(name)
        secrets = made_secrets(directory)
        check_redis(directory, secrets)
        check_rabbit(directory, secrets)
    for fault in faults:
        print(f"permissions: {fault}", file=sys.stderr)
    print(f"permissions: {len(tried)} expectations tried, {len(faults)} do not hold")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
