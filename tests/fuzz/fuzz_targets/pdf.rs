//! No bytes after a PDF header make extraction panic, hang or exceed its limits.

#![no_main]

use precis_extract::Hint;
use precis_fuzz::{extracts, only_own_and_uncaught_panics_count};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    only_own_and_uncaught_panics_count();
    let with_header = if bytes.starts_with(b"%PDF-") { bytes.to_vec() } else { [b"%PDF-1.7\n", bytes].concat() };
    extracts(&with_header, &Hint::default());
});
