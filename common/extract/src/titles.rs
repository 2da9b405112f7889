//! Titles that say nothing of their document: the heading of its summary, or a word for a document without a name.

use precis_language::heading::heads_abstract;
use precis_language::placeholder::titles_nothing;
use precis_proto::BlockKind;
use precis_text::CanonicalText;

/// The `title` of a document with this `text`; its first heading that says more if the title says nothing, and `None` if no heading does,
/// so that the document is called by its path.
pub(super) fn telling(title: Option<String>, text: &CanonicalText) -> Option<String> {
    let title = title?;
    if says_more(&title) {
        return Some(title);
    }
    let headings =
        text.blocks().iter().filter(|block| block.kind == BlockKind::Heading && block.level.unwrap_or(1) == 1);
    let mut headings = headings.map(|block| text.slice(block.range()).to_owned());
    headings.next().filter(|heading| says_more(heading))
}

fn says_more(title: &str) -> bool {
    let bare = title.trim().trim_end_matches([':', '.']).to_lowercase();
    !heads_abstract(&bare) && !titles_nothing(&bare)
}

#[cfg(test)]
mod tests {
    use precis_text::Leaf;

    use super::*;

    #[test]
    fn a_title_says_more_than_summary() {
        let heading = |level, text: &str| Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, text) };
        let text = CanonicalText::from_leaves(&[heading(1, "The tower"), heading(2, "Summary")]);
        let summary = CanonicalText::from_leaves(&[heading(1, "Summary"), heading(2, "The tower")]);
        for (title, text, want) in [
            ("Fees", &text, Some("Fees")),
            ("Summary", &text, Some("The tower")),
            ("Summary:", &summary, None),
            ("Untitled", &text, Some("The tower")),
            ("Summary of fees", &summary, Some("Summary of fees")),
        ] {
            assert_eq!(telling(Some(title.to_owned()), text).as_deref(), want, "{title}");
        }
        assert_eq!(telling(None, &text), None);
    }
}
