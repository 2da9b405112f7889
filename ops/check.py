#!/usr/bin/env python3
"""Whether compose/ and ops/ say what the code says. Run it from anywhere; needs Python's standard library and the sources.

Reads metrics, settings and commands off the Rust sources and holds the other files against them, in both directions. Then gives the
files to whatever tools are installed that understand them; a tool that is not there is named as skipped. Exit 1 with one line for
each thing that is wrong. `--inside` leaves the tools out; `--write` first writes the alerts anew for the Prometheus operator.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
METRICS = ROOT / "common/runtime/src/telemetry/metrics"
CONFIG = ROOT / "common/runtime/src/config"
WORKERS = ROOT / "workers/src"
SOURCES = [f"common/{name}/src" for name in ("runtime", "language", "text", "extract", "evidence", "context", "research", "report")]
SOURCES += ["workers/src", "proto/src"]
# RabbitMQ's own metrics; ops/check_permissions.py asks a real broker for them.
RABBITMQ = {name: {"vhost", "queue"} for name in ("rabbitmq_detailed_queue_messages_ready", "rabbitmq_detailed_queue_consumers")}
# What every series of the dashboard is narrowed by.
MATCHERS = ('job=~"$job"', 'instance=~"$instance"')
# What Prometheus adds to every series.
ADDED = {"instance", "job", "le"}
# Variables of the compose file itself and of the program's own configuration file.
VARIABLES = {"PRECIS_CONFIG", "PRECIS_DOCS", "PRECIS_OUT", "PRECIS_VERSION", "PRECIS_REDIS_MEMORY", "PRECIS_MODEL_FILE"} | {
    f"PRECIS_{service}_PORT" for service in ("AMQP", "MANAGEMENT", "PROMETHEUS", "ALERTMANAGER", "GRAFANA")
} | {f"PRECIS_{image}_IMAGE" for image in ("RABBITMQ", "REDIS", "PROMETHEUS", "ALERTMANAGER", "GRAFANA", "RUST", "DEBIAN")}

faults = []
done = []


def fault(path, sentence):
    where = path.relative_to(ROOT) if isinstance(path, pathlib.Path) else path
    faults.append(f"{where}: {sentence}")


def read(path):
    return path.read_text(encoding="utf-8")


def texts(*suffixes):
    """Files of compose/ and ops/ with these endings, without secrets."""
    found = [p for folder in ("compose", "ops") for p in sorted((ROOT / folder).rglob("*")) if p.is_file()]
    return [p for p in found if p.suffix in suffixes and "secrets" not in p.parts[:-1]]


# --- what the code says -------------------------------------------------------------------------------------------------------


def code_metrics():
    """Name on the wire -> (kind, labels), as the metrics' files register them."""
    found = {}
    for path in sorted(METRICS.glob("*.rs")):
        text = read(path).split("#[cfg(test)]")[0]
        structs = {name: dict(re.findall(r"(\w+): ([\w:<>&' ,]+),", body)) for name, body in re.findall(r"struct (\w+) \{\n(.*?)\n\}", text, re.S)}
        for owner, body in re.findall(r"^impl (\w+) \{\n(.*?)\n\}", text, re.S | re.M):
            for function, name, field in re.findall(r"(register\w*)\(\s*(?:registry,\s*)?\"(\w+)\",.*?metrics\.(\w+)\.clone\(\)", body, re.S):
                made_of = structs[owner][field]
                kind = next(k for k in ("histogram", "counter", "gauge") if k in made_of.lower())
                family = re.search(r"<(\w+)", made_of)
                suffix = {"counter": "_total"}.get(kind, {"register_seconds": "_seconds", "register_bytes": "_bytes"}.get(function, ""))
                found[f"precis_{name}{suffix}"] = (kind, list(structs[family.group(1)]) if family else [])
    return found


def code_settings():
    """Every key that may stand in precis.toml or, in capitals, in the environment."""
    keys = set()
    for path in CONFIG.glob("*.rs"):
        for rename, name in re.findall(r"(?:#\[serde\(rename = \"(\w+)\"\)\]\n(?:\s*#\[[^\n]*\n)*)?\s+pub (\w+): ", read(path)):
            keys.add(rename or name)
    return keys


def code_events():
    """Events that the log tells of digests -> their fields, over all places that tell of one."""
    found = {}
    for path in WORKERS.rglob("*.rs"):
        for fields, event in re.findall(r'tracing::\w+!\(([^"]*)"(digest\.\w+)"\s*\);', read(path)):
            names = {re.match(r"\s*[%?]?(\w+)", field).group(1) for field in fields.split(",") if field.strip()}
            found[event] = found.get(event, set()) | names
    return found


def code_commands():
    """Command -> (words it may be followed by, flags it knows)."""
    cli = read(WORKERS / "commands/command_line.rs")
    flags = lambda text: {n.replace("_", "-") for n in re.findall(r"#\[arg\([^\]]*?\blong\b[^\n]*?\)\]\n\s*(?:pub )?(\w+):", text)}
    words = lambda text, enum: re.findall(r"^    (\w+)(?:\(| \{|,)", re.search(rf"enum {enum} \{{\n(.*?)\n\}}", text, re.S).group(1), re.M)
    commands = {}
    for variant in words(cli, "Command"):
        name = re.sub(r"(?<!^)([A-Z])", r"-\1", variant).lower()
        file = WORKERS / "commands" / f"{'control' if name in ('cancel', 'stop') else name}.rs"
        text = read(file) if file.exists() else cli
        of_cli = re.search(rf"pub struct {variant}\w* \{{\n.*?\n\}}", cli, re.S)
        enum = re.search(rf"enum ({variant}What) ", text + cli)
        below = [w.lower() for w in words(text if f"enum {variant}What" in text else cli, enum.group(1))] if enum else []
        commands[name] = (below, flags(of_cli.group(0) if of_cli else text) | {"config", "set", "help"})
    return commands


# --- what the files say -------------------------------------------------------------------------------------------------------


def expressions():
    """(file, expression) of every rule and panel."""
    alerts = read(ROOT / "ops/alerts.yaml")
    for block in re.findall(r"expr: (?:\|\n((?:          .*\n)+)|(.*)\n)", alerts):
        yield ROOT / "ops/alerts.yaml", "".join(block)
    dashboard = json.loads(read(ROOT / "ops/dashboard.json"))
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield ROOT / "ops/dashboard.json", target["expr"]


def base(name, metrics):
    """The metric a series belongs to: a histogram has three kinds of series."""
    for suffix in ("_bucket", "_sum", "_count"):
        if name.endswith(suffix) and metrics.get(name.removesuffix(suffix), ("",))[0] == "histogram":
            return name.removesuffix(suffix)
    return name


def check_metrics():
    metrics = code_metrics()
    if len(metrics) < 30:
        fault(METRICS, f"only {len(metrics)} metrics were found: this check no longer understands the code")
    for path in texts(".md", ".yaml", ".json"):
        for name in sorted(set(re.findall(r"\bprecis_[a-z0-9_]+\b", read(path)))):
            if base(name, metrics) not in metrics:
                fault(path, f"there is no metric {name}")
            elif name in metrics and metrics[name][0] == "histogram" and path.suffix != ".md":
                fault(path, f"{name} is a histogram: its series end in _bucket, _sum or _count")
    known = RABBITMQ | {name: set(labels) for name, (_, labels) in metrics.items()}
    count = 0
    for path, expression in expressions():
        count += 1
        for name, matchers in re.findall(r"\b((?:precis|rabbitmq)_\w+)(?:\{([^}]*)\})?", expression):
            if base(name, metrics) not in known:
                fault(path, f"there is no metric {name}")
                continue
            unknown = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", re.sub(r'"[^"]*"', "", matchers))) - known[base(name, metrics)] - ADDED
            if unknown:
                fault(path, f"{name} has no label {', '.join(sorted(unknown))}")
        measured = set().union(*(known.get(base(n, metrics), set()) for n in re.findall(r"\b(?:precis|rabbitmq)_\w+", expression)))
        for grouped in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
            unknown = {label.strip() for label in grouped.split(",")} - measured - ADDED
            if unknown:
                fault(path, f"nothing in `{expression.strip()}` has a label {', '.join(sorted(unknown))}")
    check_table(metrics)
    done.append(f"{len(metrics)} metrics of the code, {count} expressions of alerts and dashboard")


def check_table(metrics):
    path = ROOT / "ops/README.md"
    table = read(path).split("<!-- metrics -->")[1].split("<!-- /metrics -->")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*?)\| .+ \|$", table, re.M)
    told = {name: (kind, re.findall(r"`(\w+)`", labels)) for name, kind, labels in rows}
    for name in sorted(set(metrics) - set(told)):
        fault(path, f"the table lacks {name}")
    for name in sorted(set(told) & set(metrics)):
        if told[name] != metrics[name]:
            fault(path, f"{name} is a {metrics[name][0]} with labels {metrics[name][1]}, the table says {told[name]}")


def check_alerts():
    path, tests = ROOT / "ops/alerts.yaml", read(ROOT / "ops/alerts.test.yaml")
    pairs = re.findall(r"- alert: (\w+)\n.*?runbook: (\S+)", read(path), re.S)
    for alert, runbook in pairs:
        if not (ROOT / runbook).is_file():
            fault(path, f"{alert} names {runbook}, which is not there")
        elif read(ROOT / runbook).splitlines()[0] != f"# {alert}":
            fault(ROOT / runbook, f"its title is not {alert}")
        if not re.search(rf"- alert: {alert}\n(?:(?!- alert).)*?runbook_url: '[^']*/{pathlib.Path(runbook).name}'", read(path), re.S):
            fault(path, f"{alert} has no runbook_url that ends with {pathlib.Path(runbook).name}")
        if not re.search(rf"alertname: {alert}\n\s+exp_alerts:", tests):
            fault(ROOT / "ops/alerts.test.yaml", f"no test makes {alert} fire")
    for runbook in sorted((ROOT / "ops/runbooks").glob("*.md")):
        if str(runbook.relative_to(ROOT)) not in {r for _, r in pairs}:
            fault(runbook, "no alert leads here")
        if not re.search(r"## First\n(?:(?!##).)*?```sh\nprecis ", read(runbook), re.S):
            fault(runbook, "it names no command to run first")
    done.append(f"{len(pairs)} alerts, each with runbook and test")


RULES = ROOT / "ops/kubernetes/monitoring/alerts.yaml"


def rules():
    """The alerts as an object of the Prometheus operator: each line of them, indented, below a head."""
    head = "# ops/alerts.yaml for the Prometheus operator. Written by `python3 ops/check.py --write`.\n"
    head += "apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: precis\nspec:\n"
    lines = read(ROOT / "ops/alerts.yaml").split("\ngroups:\n", 1)[1].splitlines()
    return head + "".join(f"  {line}".rstrip() + "\n" for line in ["groups:", *lines])


def check_rules():
    if not RULES.is_file() or read(RULES) != rules():
        fault(RULES, "it differs from ops/alerts.yaml: run `python3 ops/check.py --write`")


def check_dashboard():
    """What a reader of the dashboard needs: every panel says what it shows, and every series can be narrowed to a job and an instance."""
    path = ROOT / "ops/dashboard.json"
    dashboard = json.loads(read(path))
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    if missing := {"datasource", "job", "instance"} - variables:
        fault(path, f"it has no variable {', '.join(sorted(missing))}")
    for panel in dashboard["panels"]:
        if panel["type"] != "row" and not panel.get("description"):
            fault(path, f"the panel `{panel['title']}` does not say what it shows")
        for target in panel.get("targets", []):
            series = re.findall(r"\bprecis_\w+(?:\{([^}]*)\})?", target["expr"])
            if any(matcher not in matchers for matchers in series for matcher in MATCHERS):
                fault(path, f"the panel `{panel['title']}` has a series without {' and '.join(MATCHERS)}")


def check_settings():
    keys, count = code_settings(), 0
    for path in texts(".yaml", ".md", ".sh", ".toml") + [ROOT / "compose/Dockerfile"]:
        for name in sorted(set(re.findall(r"(?<![@\w])PRECIS_[A-Z_]+\b(?!@)", read(path)))):
            count += 1
            if name not in VARIABLES and name.removeprefix("PRECIS_").lower() not in keys:
                fault(path, f"there is no setting {name}")
    embedded = re.search(r"precis\.toml: \|\n((?:    .*\n?)+)", read(ROOT / "ops/kubernetes/base/settings.yaml")).group(1)
    for path, text in [(ROOT / "compose/precis.toml", read(ROOT / "compose/precis.toml")), ("ops/kubernetes/base/settings.yaml", embedded)]:
        for key in re.findall(r"^[ #]*(\w+) = ", text, re.M):
            count += 1
            if key not in keys:
                fault(path, f"there is no setting {key}")
    done.append(f"{count} uses of settings")


def command_lines():
    """(file, words after `precis`) of every command line in documents and manifests."""
    for path in texts(".md"):
        text = read(path)
        for block in re.findall(r"```sh\n(.*?)```", text, re.S):
            for line in block.splitlines():
                found = re.match(r"\s*(?:precis|docker compose run --rm cli) (.*?)(?:\s+#.*)?$", line)
                if found:
                    yield path, re.sub(r'"[^"]*"', "x", found.group(1)).split()
        for inline in re.findall(r"`(?:precis|docker compose run --rm cli) ([a-z][^`]*)`", re.sub(r"```.*?```", "", text, flags=re.S)):
            yield path, inline.split()
    for path in texts(".yaml") + [ROOT / "compose/Dockerfile"]:
        for line in re.findall(r"^\s*(?:command|args): \[([a-z\"].*)\]$", read(path), re.M):
            yield path, [word.strip(' "') for word in re.split(r",\s+", line)]
        for word in re.findall(r"\"precis\", \"(\w+)\"", read(path)):
            yield path, [word]


def check_commands():
    commands, count = code_commands(), 0
    for path, words in command_lines():
        count += 1
        line = " ".join(words)
        if words[0] not in commands:
            fault(path, f"`precis {line}`: there is no such command")
            continue
        below, flags = commands[words[0]]
        if below and (len(words) < 2 or words[1] not in below):
            fault(path, f"`precis {line}`: it wants one of {', '.join(below)}")
        for flag in (w[2:].split("=")[0] for w in words if w.startswith("--")):
            if flag not in flags:
                fault(path, f"`precis {line}`: it has no --{flag}")
    done.append(f"{count} command lines")


def check_events():
    """The table of what the log tells of digests, against the code and in both directions."""
    path, code = ROOT / "ops/README.md", code_events()
    told = {event: set(re.findall(r"`(\w+)`", fields)) for event, fields in re.findall(r"^\| `(digest\.\w+)` \| ([^|]*) \|", read(path), re.M)}
    for event in sorted(code.keys() | told.keys()):
        if code.get(event) != told.get(event):
            fault(path, f"`{event}` has {sorted(told.get(event, []))} here and {sorted(code.get(event, []))} in the code")
    done.append(f"{len(code)} events")


def anchors(path):
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", read(path), flags=re.S), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_documents():
    """Links lead somewhere, and every word in code letters that looks like a name of ours is one."""
    source = "\n".join(read(p) for folder in SOURCES for p in (ROOT / folder).rglob("*.rs"))
    # Words that leave the program: texts in quotes, settings, labels.
    known = {word for text in re.findall(r'"([^"\n]*)"', source) for word in re.findall(r"\w+", text)} | code_settings()
    known |= {label for _, labels in code_metrics().values() for label in labels}
    known |= {field for fields in code_events().values() for field in fields}
    for path in texts(".md"):
        text = read(path)
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            file, _, anchor = target.partition("#")
            to = (path.parent / file).resolve() if file else path
            if not to.exists():
                fault(path, f"the link to {target} leads nowhere")
            elif anchor and anchor not in anchors(to):
                fault(path, f"{target} has no such heading")
        for word in sorted(set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text))):
            if word not in known and not word.startswith("precis_"):
                fault(path, f"`{word}` is not in the code")
    done.append(f"{len(texts('.md'))} documents")


def check_version():
    """The version of the image names the Job that makes queues, so both have to be that of the program."""
    path = ROOT / "ops/kubernetes/base/kustomization.yaml"
    version = re.search(r'^version = "([^"]+)"', read(ROOT / "Cargo.toml"), re.M).group(1)
    told = re.findall(r"(?:app\.kubernetes\.io/version: |newTag: )([\w.-]+)", read(path))
    if told != [version, version]:
        fault(path, f"the program is version {version}, label and image are {told}")


def check_queues():
    """Every queue that is worked on is served by the split fleet, and scaled."""
    kinds = re.search(r"JOB_KINDS: \[&str; \d+\] = \[(.*?)\]", read(ROOT / "common/runtime/src/broker/topology.rs")).group(1)
    kinds = re.findall(r"\"(\w+)\"", kinds)
    phases = re.findall(r"Self::\w+ => \"(\w+)\"", read(ROOT / "proto/src/phase.rs"))
    for path in [ROOT / "compose/compose.yaml"] + [ROOT / f"ops/kubernetes/base/{g}.yaml" for g in ("readers", "thinkers", "sessions")]:
        for words in re.findall(r"--queues\"?, \"?([\w.,]+)\"?", read(path)):
            for word in words.split(","):
                if word not in {"all", "sessions", "jobs", "requests", "indexing", *(f"jobs.{k}" for k in kinds), *(f"session.{p}" for p in phases)}:
                    fault(path, f"--queues knows no {word}")
    split = read(ROOT / "compose/compose.yaml"), "\n".join(read(p) for p in (ROOT / "ops/kubernetes/base").glob("*.yaml"))
    scaled = "\n".join(read(p) for p in (ROOT / "ops/kubernetes/keda").glob("*.yaml"))
    for kind in kinds:
        for where, text in zip(("compose/compose.yaml", "ops/kubernetes/base"), split):
            if not re.search(rf"jobs\.{kind}\b", text):
                fault(where, f"no group serves jobs.{kind}")
    names = [re.compile(name.replace("\\\\", "\\")) for name in re.findall(r'queueName: "?([^",\n]+)', scaled)]
    for queue in ["requests", "indexing", *(f"jobs.{k}" for k in kinds), *(f"session.{p}" for p in phases)]:
        if not any(name.fullmatch(f"precis.{queue}") for name in names):
            fault("ops/kubernetes/keda", f"nothing scales by precis.{queue}")
    done.append(f"{len(kinds) + len(phases) + 2} queues")


# --- what tools say -----------------------------------------------------------------------------------------------------------


def run(what, *command, cwd=ROOT, stdin=None):
    words = [str(word) for word in command]
    ended = subprocess.run(words, cwd=cwd, input=stdin, capture_output=True, text=True, timeout=120)
    if ended.returncode != 0:
        fault(what, f"{words[0]} says:\n{(ended.stdout + ended.stderr).strip()}")
    else:
        done.append(f"{what}: {words[0]} agrees")
    return ended.stdout


def tool(name, what):
    found = shutil.which(name)
    if not found:
        print(f"SKIPPED: {name} is not installed: {what}", file=sys.stderr)
    return found


def with_promtool(directory):
    run("ops/alerts.yaml", "promtool", "check", "rules", "ops/alerts.yaml")
    run("ops/alerts.test.yaml", "promtool", "test", "rules", "ops/alerts.test.yaml")
    for source in ("compose/prometheus/prometheus.yml", "ops/alerts.yaml"):
        shutil.copy(ROOT / source, directory)
    run("compose/prometheus/prometheus.yml", "promtool", "check", "config", directory / "prometheus.yml")
    plain = [e.replace("$__rate_interval", "5m").replace("$__range", "3h") for p, e in expressions() if p.suffix == ".json"]
    rules = [{"record": f"panel:{n}", "expr": expression} for n, expression in enumerate(plain)]
    (directory / "panels.yaml").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    run("ops/dashboard.json", "promtool", "check", "rules", directory / "panels.yaml")


def with_compose(directory, command):
    """Resolves the file with secrets of a made-up fleet. 1.29 does not know the name of a project."""
    for name in ("compose", "ops"):
        shutil.copytree(ROOT / name, directory / name, ignore=shutil.ignore_patterns("secrets", "__pycache__"))
    run("compose/secrets.sh", "bash", directory / "compose/secrets.sh")
    file = directory / "compose/compose.yaml"
    file.write_text(re.sub(r"^name: .*\n", "", read(file), flags=re.M))
    profiles = [word for profile in ("split", "cli", "observability") for word in ("--profile", profile)]
    run("compose/compose.yaml", *command, *profiles, "config", "--quiet", cwd=directory / "compose")


def with_kubectl(directory):
    rendered = {name: run(f"ops/kubernetes/{name}", "kubectl", "kustomize", f"ops/kubernetes/{name}") for name in ("base", "full")}
    if tool("kubernetes-validate", "manifests are not checked against the schemas of Kubernetes"):
        (directory / "base.yaml").write_text(rendered["base"])
        run("ops/kubernetes/base", "kubernetes-validate", "--strict", "--quiet", directory / "base.yaml")


def check_with_tools():
    with tempfile.TemporaryDirectory(prefix="precis-check-") as name:
        directory = pathlib.Path(name)
        if tool("promtool", "neither alerts nor their tests were run"):
            with_promtool(directory)
        if tool("amtool", "the routes of Alertmanager were not checked"):
            run("compose/alertmanager/alertmanager.yml", "amtool", "check-config", "compose/alertmanager/alertmanager.yml")
        if tool("docker-compose", "the compose file was not resolved"):
            with_compose(directory, ["docker-compose"])
        if tool("hadolint", "the Dockerfile was not judged"):
            run("compose/Dockerfile", "hadolint", "compose/Dockerfile")
        if tool("kubectl", "the manifests were not rendered"):
            with_kubectl(directory)


def main():
    if "--write" in sys.argv[1:]:
        RULES.write_text(rules(), encoding="utf-8")
    for check in (check_metrics, check_alerts, check_rules, check_dashboard, check_settings, check_commands, check_version, check_queues, check_events, check_documents):
        check()
    if "--inside" not in sys.argv[1:]:
        check_with_tools()
    for line in sorted(set(faults)):
        print(f"check: {line}", file=sys.stderr)
    if faults:
        sys.exit(1)
    for line in done:
        print(f"check: {line}")


if __name__ == "__main__":
    main()
