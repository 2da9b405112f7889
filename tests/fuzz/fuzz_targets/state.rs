//! A state of any version that is read is the same after writing and reading; one written for the previous version is read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use precis_proto::state::{OLDEST_WRITABLE_VERSION, STATE_SCHEMA_VERSION, read, write};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice(bytes) else { return };
    let Ok(state) = read(value) else { return };
    assert_eq!(read(write(&state, STATE_SCHEMA_VERSION)).expect("is current"), state);
    read(write(&state, OLDEST_WRITABLE_VERSION)).expect("is readable");
});
