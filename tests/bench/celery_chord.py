"""The same shape of work as `bench-fleet`, as a Celery application made safe, on the same broker.

A session is three tasks in a row; the first is a chord of eight tasks that do nothing. Safe means: acknowledged late, rejected when the
worker is lost, published with confirms, durable quorum queues; results of the chord in Redis.

    python celery_chord.py AMQP_URL REDIS_URL SESSIONS     prints {"sessions", "jobs", "seconds"} as JSON

Needs the packages celery and redis.
"""
import json
import os
import subprocess
import sys
import time

import redis
from celery import Celery, chord
from kombu import Exchange, Queue

JOBS = 8
PROCESSES = os.cpu_count() or 2

app = Celery("bench", broker=os.environ.get("BENCH_AMQP"), backend=os.environ.get("BENCH_REDIS"))
app.conf.update(
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    broker_transport_options={"confirm_publish": True},
    task_default_queue="celery.bench",
    task_queues=[Queue("celery.bench", Exchange("celery.bench"), "celery.bench", queue_arguments={"x-queue-type": "quorum"})],
    worker_detect_quorum_queues=True,
    task_default_delivery_mode="persistent",
    worker_prefetch_multiplier=32,
    worker_hijack_root_logger=False,
    result_expires=3600,
)


@app.task(name="bench.scatter")
def scatter(session):
    # The first one starts the watch.
    redis.Redis.from_url(os.environ["BENCH_REDIS"]).set("bench.begun", time.time(), nx=True)
    chord([job.s(session, n) for n in range(JOBS)])(middle.s(session))


@app.task(name="bench.job")
def job(session, n):
    return n


@app.task(name="bench.middle")
def middle(answers, session):
    if len(answers) != JOBS:
        raise ValueError(f"{session}: {len(answers)} answers")
    end.delay(session)


@app.task(name="bench.end", ignore_result=True)
def end(session):
    redis.Redis.from_url(os.environ["BENCH_REDIS"]).rpush("bench.done", session)


def main(amqp, store, sessions):
    os.environ.update(BENCH_AMQP=amqp, BENCH_REDIS=store)
    app.conf.update(broker_url=amqp, result_backend=store)
    done = redis.Redis.from_url(store)
    done.delete("bench.done", "bench.begun")
    here = os.path.dirname(os.path.abspath(__file__))
    for n in range(sessions):
        scatter.delay(n)
    command = [sys.executable, "-m", "celery", "-A", "celery_chord", "worker", "--pool", "prefork", "-c", str(PROCESSES),
               "--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "error"]
    worker = subprocess.Popen(command, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while done.llen("bench.done") < sessions:
            if worker.poll() is not None:
                sys.exit("the Celery worker ended by itself")
            time.sleep(0.02)
        # From the first task, so that the start of the interpreter is not counted.
        seconds = time.time() - float(done.get("bench.begun"))
    finally:
        worker.terminate()
        worker.wait()
    print(json.dumps({"sessions": sessions, "jobs": sessions * JOBS, "seconds": seconds}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
