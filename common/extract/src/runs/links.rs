//! [`Links`]: the links of a block that lead to other documents, kept beside its text.

use precis_proto::block::{BlockLink, MAX_LINK_TARGET_CHARS};
use precis_text::{normalize, visible};

/// The links of a block so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Links {
    /// The link that is open, with what was said since it began.
    open: Option<BlockLink>,
    closed: Vec<BlockLink>,
}

impl Links {
    /// Begins a link, unless its target is no other document.
    pub(super) fn begin(&mut self, target: &str) {
        self.end();
        let target = target.trim();
        self.open = leads_to_document(target).then(|| BlockLink { text: String::new(), target: target.to_owned() });
    }

    /// Takes text of the block.
    pub(super) fn say(&mut self, text: &str) {
        if let Some(open) = &mut self.open {
            open.text.push_str(text);
        }
    }

    pub(super) fn end(&mut self) {
        self.closed.extend(self.open.take());
    }

    /// The links whose texts are in `text`, the normalized text of the block: one around a picture has none.
    pub(super) fn finish(mut self, text: &str) -> Vec<BlockLink> {
        self.end();
        self.closed.iter_mut().for_each(|link| link.text = normalize(&visible(&link.text)));
        self.closed.retain(|link| !link.text.is_empty() && text.contains(&link.text));
        self.closed
    }
}

/// Whether a target is a path or the address of a page: not a place of the same document, a mail address, or a program.
fn leads_to_document(target: &str) -> bool {
    let begin = target.split(['/', '?', '#']).next().unwrap_or_default();
    let has_scheme = begin.contains(':');
    !target.is_empty()
        && !target.starts_with(['#', '?'])
        && !target.contains(char::is_control)
        && target.chars().nth(MAX_LINK_TARGET_CHARS).is_none()
        && (!has_scheme || matches!(begin.to_ascii_lowercase().as_str(), "http:" | "https:"))
}

#[cfg(test)]
mod tests {
    use super::super::{Marks, RunText};
    use super::*;

    #[test]
    fn a_link_is_kept_with_what_it_shows() {
        let mut text = RunText::default();
        text.plain("See the ");
        text.begin_link(" guides/deploy.md#roll ");
        text.plain("deploy");
        text.space('\n');
        text.push("40", Marks { is_struck: true, ..Marks::default() });
        text.plain("guide");
        text.end_link();
        text.plain(" and ");
        text.begin_link("picture.md");
        text.end_link();
        text.begin_link("on-call.md");
        text.plain("on call");
        let words = text.words();
        let link = |text: &str, target: &str| BlockLink { text: text.to_owned(), target: target.to_owned() };
        assert_eq!(words.text, "See the deploy guide and on call");
        assert_eq!(words.links, [link("deploy guide", "guides/deploy.md#roll"), link("on call", "on-call.md")]);
    }

    #[test]
    fn only_paths_and_addresses_of_pages_lead_to_documents() {
        let long = "a".repeat(MAX_LINK_TARGET_CHARS);
        for (target, want) in [
            ("a.md", true),
            ("../a/b#c", true),
            ("/a?b=c:d", true),
            ("https://a.example/b", true),
            ("HTTP://a.example", true),
            ("//a.example/b", true),
            ("", false),
            ("#a", false),
            ("?page=2", false),
            ("mailto:a@b.example", false),
            ("javascript:alert(1)", false),
            ("data:text/html,a", false),
            ("a\u{0}b", false),
            (&long[1..], true),
            (&long, true),
            (&format!("{long}a"), false),
        ] {
            assert_eq!(leads_to_document(target), want, "{target}");
        }
    }
}
