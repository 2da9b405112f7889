#!/usr/bin/env bash
# Names each image of others by the digest that its registry gives it now: lines for `.env`, which Compose reads.
#   ./pin.sh > pinned.env && cat pinned.env >> .env
# Needs Docker and a way to the registry. Whoever changes a tag later changes nothing here.
set -euo pipefail
cd "$(dirname "$0")"

sed -nE 's/.*\$\{(PRECIS_[A-Z]+_IMAGE):-([^}]+)\}.*/\1 \2/p' compose.yaml | sort -u | while read -r name image; do
    docker pull --quiet "$image" >&2 </dev/null
    printf '%s=%s\n' "$name" "$(docker image inspect --format '{{index .RepoDigests 0}}' "$image" </dev/null)"
done
