//! Titles that are longer than a request may carry.

use crate::request::MAX_TITLE_CHARS;

/// Marks where a title was cut.
const CUT: char = '…';

/// Returns the start of `title` that fits [`MAX_TITLE_CHARS`], ending in `…`; `None` if it fits whole. A document may call itself anything,
/// and a title that is too long must not cost its reader the answer.
///
/// ```
/// use precis_proto::title::cut;
///
/// assert_eq!(cut("Terms of delay"), None);
/// let kept = cut(&"é".repeat(501)).expect("too long");
/// assert_eq!((kept.chars().count(), kept.ends_with("é…")), (500, true));
/// ```
#[must_use]
pub fn cut(title: &str) -> Option<String> {
    title.char_indices().nth(MAX_TITLE_CHARS)?;
    let (end, _) = title.char_indices().nth(MAX_TITLE_CHARS - 1)?;
    Some(format!("{}{CUT}", title[..end].trim_end()))
}

/// Returns the warning for the cut of `title`.
#[must_use]
pub fn cut_warning(title: &str) -> String {
    let chars = title.chars().count();
    format!("the title has {chars} characters; its start is used, because a title may have at most {MAX_TITLE_CHARS}")
}
