//! What the targets share: which panics are findings, and what every extraction must keep.

use std::panic::PanicHookInfo;
use std::sync::Once;

use precis_extract::{ExtractLimits, Hint, HtmlMode, extract};
use precis_text::CanonicalText;

/// Folders of registries: code of others.
const FOREIGN: [&str; 2] = ["/registry/src/", "/rustc/"];

/// Lets a panic of somebody else's parser pass where the extraction catches it: giving up on a page is an answer. A panic in
/// code of this project ends the run, caught or not, and so does every panic that nobody catches.
pub fn only_own_and_uncaught_panics_count() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(|panic| {
            if is_own(panic) {
                eprintln!("{panic}");
                std::process::abort();
            }
        }));
    });
}

fn is_own(panic: &PanicHookInfo<'_>) -> bool {
    panic.location().is_some_and(|place| !FOREIGN.iter().any(|folder| place.file().contains(folder)))
}

/// Extracts `bytes` in both modes of HTML; what comes back keeps the limits, and canonicalises to itself.
pub fn extracts(bytes: &[u8], hint: &Hint<'_>) {
    let limits = ExtractLimits { max_bytes: 1 << 20, max_chars: 10_000, max_pages: 20 };
    for mode in [HtmlMode::Main, HtmlMode::Full] {
        let Ok(found) = extract(bytes, hint, mode, &limits) else { continue };
        assert!(!found.text.is_blank() && found.text.chars() <= limits.max_chars);
        let pages = u32::try_from(found.text.pages().len()).expect("few pages");
        let again = CanonicalText::parse_archived(found.text.as_str(), pages);
        assert_eq!(again.as_ref(), Ok(&found.text));
        // Only HTML is read differently in the two modes.
        if found.content_type != "text/html" {
            return;
        }
    }
}
