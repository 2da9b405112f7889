//! Which sources are fetched, and the limits of one extraction.

use precis_extract::{ExtractLimits, FollowPolicy};
use precis_runtime::config::Settings;

use super::size::size;

/// Returns which sources without a text are fetched.
#[must_use]
pub fn follow_policy(settings: &Settings) -> FollowPolicy {
    FollowPolicy { follow_links: settings.extraction.follow_links, fetch_pdfs: settings.digest.fetch_pdfs }
}

/// Returns the limits of one extraction.
#[must_use]
pub fn extract_limits(settings: &Settings) -> ExtractLimits {
    let extraction = &settings.extraction;
    ExtractLimits {
        max_bytes: size(extraction.max_bytes),
        max_chars: size(extraction.max_chars),
        max_pages: size(extraction.max_pages),
    }
}
