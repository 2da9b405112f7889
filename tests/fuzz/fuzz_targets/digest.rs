//! A payload of a digest that is accepted is the same after writing and reading, and checking it against a text never panics.

#![no_main]

use precis_context::digest::{validate, verify};
use precis_context::reduction::from_digest;
use precis_proto::SourceId;
use precis_proto::digest::DigestPayload;
use precis_text::CanonicalText;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(payload) = serde_json::from_slice::<DigestPayload>(bytes) else { return };
    let text = CanonicalText::from_plain("Ein Satz. Und noch einer, mit é und 漢字.");
    let source = SourceId::new("s").expect("an id");
    if validate(&payload).is_ok() {
        let written = serde_json::to_vec(&payload).expect("writes");
        assert_eq!(serde_json::from_slice::<DigestPayload>(&written).expect("reads"), payload);
    }
    if verify(&payload, &text).is_ok() {
        for passage in from_digest(&payload, &source, &text) {
            assert_eq!(text.slice(passage.range), passage.text);
        }
    }
});
