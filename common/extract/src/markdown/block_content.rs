//! What the text of a block of Markdown is made of.

use crate::runs::visible_chars;

/// What was read of the block so far.
#[derive(Debug, Default)]
pub(super) struct BlockContent {
    /// Number of visible characters of values that a template fills in.
    pub(super) value_chars: u64,
    /// Whether anything but such values is in it.
    pub(super) says_more: bool,
    /// Number of pictures that are open.
    open_pictures: usize,
    has_picture: bool,
    /// Whether anything but the texts of pictures is in it.
    says_beside: bool,
    /// Number of links to other places of the same site that are open.
    open_links: usize,
    has_link: bool,
    /// Whether anything but the texts of such links is in it.
    says_beside_links: bool,
}

impl BlockContent {
    pub(super) fn open_picture(&mut self) {
        self.open_pictures += 1;
        self.has_picture = true;
    }

    pub(super) fn close_picture(&mut self) {
        self.open_pictures = self.open_pictures.saturating_sub(1);
    }

    /// Notes a piece of its text.
    pub(super) fn add(&mut self, piece: &str, is_value: bool) {
        let says = !piece.trim().is_empty();
        self.value_chars += if is_value { visible_chars(piece) } else { 0 };
        self.says_more |= says && !is_value;
        self.says_beside |= says && self.open_pictures == 0;
        self.says_beside_links |= says && self.open_links == 0;
    }

    pub(super) fn open_link(&mut self, target: &str) {
        // The end of a link does not say where it leads; links do not nest.
        self.open_links = usize::from(is_of_the_site(target));
        self.has_link |= self.open_links > 0;
    }

    pub(super) fn close_link(&mut self) {
        self.open_links = 0;
    }

    /// Whether all of its text is links to other places of the same site, as a line of a table of contents is.
    pub(super) fn is_of_links(&self) -> bool {
        self.has_link && !self.says_beside_links
    }

    /// Whether all of its text describes pictures: such a text announces nothing of what follows it.
    pub(super) fn is_of_pictures(&self) -> bool {
        self.has_picture && !self.says_beside
    }
}

/// Whether a link leads to another place of the same site: its target has no scheme and no host.
fn is_of_the_site(target: &str) -> bool {
    let scheme = target.split(['/', '?', '#']).next().is_some_and(|begin| begin.contains(':'));
    !target.is_empty() && !scheme && !target.starts_with("//")
}
