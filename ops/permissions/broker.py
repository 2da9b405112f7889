"""A private RabbitMQ with the configuration, plugins and definitions of this repository; it ends with whoever started it."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from .trial import ROOT, free_port

RABBITMQ = pathlib.Path("/usr/lib/rabbitmq/bin")
START_SECONDS = 120


def installed():
    """Whether there is a RabbitMQ to start."""
    return (RABBITMQ / "rabbitmq-server").exists()


class Rabbit:
    """A private broker with our configuration, definitions and plugins."""

    def __init__(self, directory, secrets):
        self.home = directory / "rabbitmq"
        self.home.mkdir()
        self.port, self.management, self.metrics, self.epmd = (free_port() for _ in range(4))
        conf = (ROOT / "compose/rabbitmq/rabbitmq.conf").read_text()
        conf = conf.replace("/run/secrets/rabbitmq-definitions.json", str(secrets / "rabbitmq-definitions.json"))
        conf += f"management.tcp.port = {self.management}\nmanagement.tcp.ip = 127.0.0.1\n"
        conf += f"prometheus.tcp.port = {self.metrics}\nprometheus.tcp.ip = 127.0.0.1\n"
        (self.home / "rabbitmq.conf").write_text(conf)
        shutil.copy(ROOT / "compose/rabbitmq/enabled_plugins", self.home / "enabled_plugins")
        (self.home / "env.conf").write_text("")
        self.env = os.environ | {
            "HOME": str(self.home),
            "RABBITMQ_NODENAME": f"check{os.getpid()}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(free_port()),
            "ERL_EPMD_PORT": str(self.epmd),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_MNESIA_BASE": str(self.home / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.home / "log"),
            "RABBITMQ_PID_FILE": str(self.home / "pid"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.home / "enabled_plugins"),
            "RABBITMQ_CONFIG_FILE": str(self.home / "rabbitmq.conf"),
            "RABBITMQ_CONF_ENV_FILE": str(self.home / "env.conf"),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(self.home / "generated"),
        }
        self.log = (self.home / "output").open("w")
        self.process = subprocess.Popen(
            [RABBITMQ / "rabbitmq-server"], env=self.env, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def wait(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                with socket.create_connection(("127.0.0.1", self.port), timeout=5) as s:
                    s.sendall(b"AMQP\x00\x00\x09\x01")
                    if s.recv(1):
                        return
            except OSError:
                time.sleep(0.2)
        raise SystemExit(f"RabbitMQ does not start:\n{(self.home / 'output').read_text()[-3000:]}")

    def ctl(self, *words):
        done = subprocess.run([RABBITMQ / "rabbitmqctl", "-q", *words], env=self.env, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def end(self):
        epmd = self.pid_of_epmd()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
        self.log.close()
        if epmd:
            os.kill(epmd, signal.SIGTERM)

    def pid_of_epmd(self):
        """The port mapper this broker started stays behind; it is the one that was told our port."""
        marker = f"ERL_EPMD_PORT={self.epmd}".encode()
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (entry / "comm").read_text().strip() == "epmd" and marker in (entry / "environ").read_bytes().split(b"\0"):
                    return int(entry.name)
            except OSError:
                continue
        return None
