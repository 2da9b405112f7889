#!/usr/bin/env bash
# Makes the passwords of a fleet and the files that carry them, in compose/secrets/ (which git ignores). A password that is there is
# kept, and so is providers.env; everything else is written anew. Delete a *.password to change it. Needs bash and python3.
set -euo pipefail
cd "$(dirname "$0")"
umask 077

dir=secrets
ops=../ops
mkdir -p "$dir"
chmod 0700 "$dir"

# Hexadecimal needs no escaping in an address, a shell or JSON.
password() {
    local file="$dir/$1.password"
    if [ ! -s "$file" ]; then
        python3 -c 'import secrets; print(secrets.token_hex(24))' >"$file"
    fi
    cat "$file"
}

# Writes standard input to a file that containers may read: they run as users this machine does not know, and the directory above
# keeps everybody else out.
put() {
    local next="$dir/.next"
    cat >"$next"
    chmod 0444 "$next"
    mv -f "$next" "$dir/$1"
}

for user in worker caller operator scaler grafana; do
    password "$user" >/dev/null
done

# RabbitMQ's hash: four bytes of salt, then SHA-256 of salt and password; Redis takes plain SHA-256.
python3 - "$dir" "$ops/rabbitmq/definitions.template.json" <<'PY' | put rabbitmq-definitions.json
import base64, hashlib, pathlib, secrets, sys

directory, template = map(pathlib.Path, sys.argv[1:])
text = template.read_text(encoding="utf-8")
for user in ("worker", "caller", "operator", "scaler"):
    password = (directory / f"{user}.password").read_bytes().strip()
    salt = secrets.token_bytes(4)
    hashed = base64.b64encode(salt + hashlib.sha256(salt + password).digest()).decode()
    text = text.replace(f"@PRECIS_{user.upper()}_HASH@", hashed)
sys.stdout.write(text)
PY

python3 - "$dir" "$ops/redis/users.template.acl" <<'PY' | put redis-users.acl
import hashlib, pathlib, sys

directory, template = map(pathlib.Path, sys.argv[1:])
hashed = hashlib.sha256((directory / "worker.password").read_bytes().strip()).hexdigest()
sys.stdout.write(template.read_text(encoding="utf-8").replace("@PRECIS_WORKER_SHA256@", hashed))
PY

password grafana | put grafana-password

# What services read as their environment.
addresses() {
    printf 'PRECIS_AMQP_URL=amqp://precis-%s:%s@rabbitmq:5672/precis\n' "$1" "$(password "$1")"
    printf 'PRECIS_REDIS_URL=redis://precis-worker:%s@redis:6379\n' "$(password worker)"
}
addresses worker | put worker.env
addresses operator | put operator.env
# Keys of model providers, one NAME=value each, under the names that precis.toml gives as api_key_env.
[ -e "$dir/providers.env" ] || put providers.env </dev/null

printf 'secrets: %s holds %s files; keep it out of git and backups that others read\n' "compose/$dir" "$(find "$dir" -type f | wc -l)"
