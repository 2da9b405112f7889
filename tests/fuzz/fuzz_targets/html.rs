//! No bytes called HTML, Markdown, reStructuredText or wikitext make extraction panic, hang or exceed its limits, in whatever encoding.

#![no_main]

use precis_extract::Hint;
use precis_fuzz::{extracts, only_own_and_uncaught_panics_count};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    only_own_and_uncaught_panics_count();
    for content_type in ["text/html", "text/markdown", "text/x-rst", "text/x-wiki"] {
        extracts(bytes, &Hint { content_type: Some(content_type), name: "" });
    }
});
