//! A locator reads exactly what it writes, and resolves inside the text or nowhere.

#![no_main]

use precis_proto::Locator;
use precis_text::CanonicalText;
use precis_text::locate::slice;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(locator) = text.parse::<Locator>() else { return };
    assert_eq!(locator.to_string(), text);
    for canonical in [
        CanonicalText::from_plain("Ein Satz. Und noch einer, mit é und 漢字."),
        CanonicalText::from_pages(&["Seite eins.".to_owned(), String::new(), "Seite drei 👩‍🚀.".to_owned()]),
    ] {
        // A text of one page has no separator to tell it from one without pages, when it is all there is to read.
        if canonical.pages().is_empty() && locator.page == Some(1) {
            continue;
        }
        let resolved = canonical.resolve(&locator).map(|range| canonical.slice(range));
        assert_eq!(resolved, slice(canonical.as_str(), &locator));
    }
});
