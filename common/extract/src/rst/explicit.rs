//! Explicit markup, which begins with two dots: notes, targets, substitutions, directives and comments.

use precis_proto::BlockKind;

use super::blocks::{BlockReader, Scope};
use super::delimiters::simple_name;
use super::inline::is_note_label;
use super::lines::Region;

impl BlockReader<'_> {
    pub(super) fn explicit(&mut self, region: Region, at: usize, scope: Scope) -> Option<usize> {
        let view = self.lines.view(region, at);
        if view == "__" || view.starts_with("__ ") {
            return Some(self.target_end(region, at));
        }
        let rest = view.strip_prefix("..").filter(|rest| rest.is_empty() || rest.starts_with(' '))?;
        let rest = rest.trim_start();
        let skip = view.len() - rest.len();
        if let Some(label) = note_label(rest) {
            return Some(self.note(region, at, label, skip, scope));
        }
        if rest.starts_with('_') {
            return Some(self.target_end(region, at));
        }
        if let Some((name, bytes)) = directive_name(rest) {
            return Some(self.directive(region, at, (name, skip + bytes), scope));
        }
        // Two dots alone end the block above. A comment includes the indented lines below it; so does a substitution, which is inserted
        // where it is used.
        if rest.is_empty() && self.lines.text_at(region, at + 1).is_none() {
            return Some(at + 1);
        }
        Some(self.lines.indented(region, at + 1).map_or(at + 1, |body| body.end))
    }

    /// The index behind the last line of the target on line `at`.
    fn target_end(&self, region: Region, at: usize) -> usize {
        let goes_on = |at: &usize| self.lines.text_at(region, *at).is_some_and(|line| line.starts_with(' '));
        (at + 1..).take_while(goes_on).last().map_or(at + 1, |last| last + 1)
    }

    /// A note, or an entry of a list of references, with its label.
    fn note(&mut self, region: Region, at: usize, label: &str, skip: usize, scope: Scope) -> usize {
        let body = self.lines.body(region, at, skip + label.len() + 2);
        let inner = Scope { is_note: true, lists: 0, ..scope.inside(BlockKind::Footnote) };
        self.flush_prefix(scope);
        self.prefix = Some((BlockKind::Footnote, format!("[{}]", self.definitions.note(label))));
        self.blocks(body, inner);
        self.flush_prefix(inner);
        body.end.max(at + 1)
    }
}

/// The label of the note at the start of `rest`.
fn note_label(rest: &str) -> Option<&str> {
    let (label, behind) = rest.strip_prefix('[')?.split_once(']')?;
    (is_note_label(label) && (behind.is_empty() || behind.starts_with(' '))).then_some(label)
}

/// The name of the directive at the start of `rest`, and the number of bytes before its arguments.
fn directive_name(rest: &str) -> Option<(&str, usize)> {
    let name = &rest[..simple_name(rest)];
    let colons = rest[name.len()..].trim_start_matches(' ');
    let behind = colons.strip_prefix("::")?;
    (!name.is_empty() && (behind.is_empty() || behind.starts_with(' '))).then_some((name, rest.len() - behind.len()))
}
