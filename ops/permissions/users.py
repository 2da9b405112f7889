"""What each user of the broker must and must not be able to do, tried on a private RabbitMQ with Python's `pika`."""

import base64
import json
import re
import time
import urllib.error
import urllib.request

from .broker import Rabbit, installed
from .trial import ROOT, expect, password, skip

PHASES = re.findall(r"Self::\w+ => \"(\w+)\"", (ROOT / "proto/src/phase.rs").read_text())
KINDS = re.search(r"JOB_KINDS: [^=]* = \[(.*?)\]", (ROOT / "common/runtime/src/broker/topology.rs").read_text()).group(1)
KINDS = re.findall(r"\"(\w+)\"", KINDS)
ALONE = ["precis.requests.alone", "precis.session.alone", *(f"precis.jobs.alone.{k}" for k in KINDS)]
WORK_QUEUES = ["precis.requests", "precis.webhooks", *ALONE, *(f"precis.session.{p}" for p in PHASES), *(f"precis.jobs.{k}" for k in KINDS)]


def topology(channel):
    """What `precis topology apply` declares, as far as permissions are concerned."""
    durable = {"durable": True}
    for name, kind in [("ingress", "direct"), ("results", "topic"), ("events", "topic"), ("control", "fanout")]:
        channel.exchange_declare(f"precis.{name}", kind, **durable)
    work = {
        "x-queue-type": "quorum", "x-delivery-limit": 20, "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": "precis.undertaker", "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
    }
    for queue in WORK_QUEUES:
        channel.queue_declare(queue, **durable, arguments=work)
    for queue in ("precis.dead", "precis.dead.last"):
        channel.queue_declare(queue, **durable, arguments={"x-queue-type": "quorum"})
    last = work | {"x-delivery-limit": 5, "x-dead-letter-routing-key": "precis.dead.last"}
    channel.queue_declare("precis.undertaker", **durable, arguments=last)
    channel.queue_bind("precis.requests", "precis.ingress", "research.request")
    back = {key: work[key] for key in work if key not in ("x-delivery-limit", "x-dead-letter-routing-key")}
    for seconds in (2, 15, 60, 300, 1800):
        name = f"precis.retry.{seconds}s"
        channel.exchange_declare(name, "fanout", **durable)
        channel.queue_declare(name, **durable, arguments=back | {"x-message-ttl": seconds * 1000})
        channel.queue_bind(name, name, "")


def check_rabbit(directory, secrets):
    try:
        import pika
    except ImportError:
        return skip("pika is not installed: nobody tried what RabbitMQ's users may do")
    if not installed():
        return skip("rabbitmq-server is not installed: nobody tried what RabbitMQ's users may do")
    rabbit = Rabbit(directory, secrets)
    try:
        rabbit.wait()
        try_users(pika, rabbit, secrets)
        try_management(rabbit, secrets)
        try_metrics(rabbit)
        code, said = rabbit.ctl("import_definitions", str(secrets / "rabbitmq-definitions.json"))
        expect(code == 0, f"the definitions cannot be imported a second time: {said}")
        code, said = rabbit.ctl("list_users")
        expect("guest" not in said, "there is a user guest")
    finally:
        rabbit.end()


def try_users(pika, rabbit, secrets):
    def connect(user):
        credentials = pika.PlainCredentials(f"precis-{user}", password(secrets, user))
        place = pika.ConnectionParameters("127.0.0.1", rabbit.port, "precis", credentials, socket_timeout=20)
        return pika.BlockingConnection(place)

    def may(user, what, act):
        connection = connect(user)
        try:
            act(confirming(connection))
        except pika.exceptions.AMQPError as error:
            expect(False, f"precis-{user} must be able to {what}: {error!r}")
        else:
            expect(True, what)
        finally:
            if connection.is_open:
                connection.close()

    def may_not(user, what, act):
        connection = connect(user)
        try:
            act(confirming(connection))
        except pika.exceptions.ChannelClosedByBroker as error:
            expect(error.reply_code == 403, f"precis-{user} may not {what}: expected 403, got {error!r}")
        else:
            expect(False, f"precis-{user} may {what}, which nobody needs")
        finally:
            if connection.is_open:
                connection.close()

    def confirming(connection):
        channel = connection.channel()
        channel.confirm_delivery()
        return channel

    def listen(exchange):
        def act(channel):
            queue = channel.queue_declare("", exclusive=True, auto_delete=True).method.queue
            channel.queue_bind(queue, exchange, "x")
            channel.basic_consume(queue, lambda *_: None, auto_ack=True)
        return act

    def publish(exchange, key):
        return lambda channel: channel.basic_publish(exchange, key, b"{}", mandatory=False)

    def take(queue):
        return lambda channel: channel.basic_cancel(channel.basic_consume(queue, lambda *_: None))

    def durable(name, **more):
        return lambda channel: channel.queue_declare(name, durable=True, **more)

    def delete(name):
        return lambda channel: channel.queue_delete(name)

    may("operator", "apply the topology", topology)
    may("operator", "apply it again", topology)
    may("operator", "look at dead letters", lambda channel: channel.basic_get("precis.dead"))
    may("operator", "look at what nobody could take", lambda channel: channel.basic_get("precis.dead.last"))
    may("operator", "redrive", publish("", "precis.session.digest"))
    may("operator", "cancel sessions", publish("precis.control", ""))
    may("operator", "submit", publish("precis.ingress", "research.request"))
    may("operator", "watch", listen("precis.events"))
    may_not("operator", "declare a queue of somebody else's", durable("other"))

    for queue in [*WORK_QUEUES, "precis.undertaker"]:
        may("worker", f"consume {queue}", take(queue))
        may("worker", f"publish into {queue}", publish("", queue))
        may("worker", f"ask how much waits in {queue}", lambda c, q=queue: c.queue_declare(q, passive=True))
    may("worker", "bury", publish("", "precis.dead"))
    may("worker", "ask how much lies in precis.dead", lambda c: c.queue_declare("precis.dead", passive=True))
    for seconds in (2, 15, 60, 300, 1800):
        may("worker", f"retry after {seconds} s", publish(f"precis.retry.{seconds}s", "precis.session.digest"))
    may("worker", "publish results", publish("precis.results", "s-1"))
    may("worker", "publish events", publish("precis.events", "phase.s-1"))
    may("worker", "hear cancellations", listen("precis.control"))
    may("worker", "hear events, which `precis doctor` tries", listen("precis.events"))
    may("worker", "answer and be answered directly", ask_and_answer(pika, connect))
    for what, act in [
        ("delete a work queue", delete("precis.session.digest")),
        ("purge a work queue", lambda channel: channel.queue_purge("precis.dead")),
        ("declare a durable queue", durable("precis.session.other")),
        ("declare a durable queue of any name", durable("mine")),
        ("declare an exchange", lambda channel: channel.exchange_declare("precis.other", "topic", durable=True)),
        ("delete an exchange", lambda channel: channel.exchange_delete("precis.ingress")),
        ("bind a work queue elsewhere", lambda channel: channel.queue_bind("precis.dead", "precis.results", "#")),
        ("take dead letters", lambda channel: channel.basic_get("precis.dead")),
        ("take what nobody could take", lambda channel: channel.basic_get("precis.dead.last")),
        ("take what waits for a retry", take("precis.retry.60s")),
        ("submit requests", publish("precis.ingress", "research.request")),
        ("cancel sessions", publish("precis.control", "")),
        ("hear everybody's results", listen("precis.results")),
    ]:
        may_not("worker", what, act)

    may("caller", "submit", publish("precis.ingress", "research.request"))
    may("caller", "end its own sessions, which workers check", publish("precis.control", ""))
    may("caller", "hear results", listen("precis.results"))
    may("caller", "hear events", listen("precis.events"))
    may("caller", "keep a queue for replies", durable("reply.billing", arguments={"x-queue-type": "quorum"}))
    may("caller", "take its replies", lambda channel: channel.basic_get("reply.billing"))
    may("worker", "reply into a caller's queue", publish("", "reply.billing"))
    may("caller", "delete its queue for replies", delete("reply.billing"))
    for what, act in [
        ("publish into a work queue", publish("", "precis.session.digest")),
        ("publish results", publish("precis.results", "s-1")),
        ("take requests", take("precis.requests")),
        ("take dead letters", lambda channel: channel.basic_get("precis.dead")),
        ("declare a work queue", durable("precis.mine")),
        ("hear cancellations", listen("precis.control")),
    ]:
        may_not("caller", what, act)
    may_not("scaler", "declare anything", durable("precis.mine"))
    may_not("scaler", "publish", publish("", "precis.requests"))
    may_not("scaler", "take anything", take("precis.requests"))


def ask_and_answer(pika, connect):
    """A job over direct reply-to, both ends as the worker's user."""
    address, job = "amq.rabbitmq.reply-to", "precis.jobs.digest"

    def act(channel):
        answers = []
        channel.basic_consume(address, lambda _, __, ___, body: answers.append(body), auto_ack=True)
        asking = pika.BasicProperties(reply_to=address, correlation_id="check", delivery_mode=2)
        channel.basic_publish("", job, b"ask", asking, mandatory=True)
        other = connect("worker")
        answering = other.channel()
        for method, properties, body in answering.consume(job, inactivity_timeout=10):
            if method is None:
                break
            answering.basic_ack(method.delivery_tag)
            if body == b"ask":
                answering.basic_publish("", properties.reply_to, b"answer")
                break
        other.close()
        end = time.monotonic() + 10
        while not answers and time.monotonic() < end:
            channel.connection.process_data_events(0.1)
        expect(answers == [b"answer"], "an answer over direct reply-to does not arrive")

    return act


def try_management(rabbit, secrets):
    """What KEDA asks, as the user it asks as."""
    for user, queue, expected in [("scaler", "precis.jobs.extraction", 200), ("worker", "precis.jobs.extraction", 401)]:
        request = urllib.request.Request(f"http://127.0.0.1:{rabbit.management}/api/queues/precis/{queue}")
        login = base64.b64encode(f"precis-{user}:{password(secrets, user)}".encode()).decode()
        request.add_header("Authorization", f"Basic {login}")
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                status, body = answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            status, body = error.code, {}
        expect(status == expected, f"precis-{user} asks the management API for {queue}: {status}, expected {expected}")
        if status == 200:
            expect(body.get("name") == queue and body.get("type") == "quorum", f"the management API tells little of {queue}")


def try_metrics(rabbit):
    """That the metrics which alerts and dashboard ask of RabbitMQ are there."""
    address = f"http://127.0.0.1:{rabbit.metrics}/metrics/detailed?vhost=precis&family=queue_coarse_metrics&family=queue_consumer_count"
    wanted = ["rabbitmq_detailed_queue_messages_ready", "rabbitmq_detailed_queue_messages_unacked", "rabbitmq_detailed_queue_consumers"]
    # Queues are measured every few seconds, and consumers and depths not in the same one.
    end = time.monotonic() + 30
    while True:
        with urllib.request.urlopen(address, timeout=20) as answer:
            text = answer.read().decode()
        missing = [name for name in wanted if f'{name}{{vhost="precis",queue="precis.requests"}}' not in text]
        if not missing or time.monotonic() > end:
            break
        time.sleep(0.5)
    expect(not missing, f"RabbitMQ does not measure {', '.join(missing)}")
