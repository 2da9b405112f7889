//! Canonicalising canonical text changes nothing, with and without pages; an archived text gives back what went in.

#![no_main]

use precis_text::{CanonicalText, normalize};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let once = normalize(text);
    assert_eq!(normalize(&once), once);
    let plain = CanonicalText::from_plain(text);
    assert_eq!(CanonicalText::parse_archived(plain.as_str(), 0).as_ref(), Ok(&plain));
    let pages: Vec<String> = text.split('\u{c}').map(str::to_owned).collect();
    let paged = CanonicalText::from_pages(&pages);
    let count = u32::try_from(paged.pages().len()).expect("few pages");
    assert_eq!(CanonicalText::parse_archived(paged.as_str(), count).as_ref(), Ok(&paged));
    for max in [0, 1, paged.chars() / 2, paged.chars()] {
        let cut = paged.truncate(max);
        assert!(cut.chars() <= max && paged.as_str().starts_with(cut.as_str()));
    }
});
