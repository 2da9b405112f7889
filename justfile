# Tasks by name, for `just`. Each is one line that can be typed without it.

# everything a change must pass
check:
    .ci/run

# the tests of one speed: fast, program, servers or fleet
test speed="fast":
    .ci/test {{speed}}

# format and lint, without tests
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --locked -- -D warnings
    .ci/layers
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items --locked
    .ci/circles
    .ci/circles --rooms

# write generated files anew: schemas, the table of configuration keys
bless:
    PRECIS_BLESS=1 cargo test -p precis-tests --test fast schemas
    PRECIS_BLESS=1 cargo test -p precis-tests --test fast readme

# a report on documents
run question *paths:
    cargo run --release -p precis-workers -- run "{{question}}" {{paths}}
