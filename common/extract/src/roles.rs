//! Roles of docutils and Sphinx, which reStructuredText and MyST share: what a page shows of their text.

use std::borrow::Cow;

use super::runs::{Marks, Position};

/// Roles that raise, lower or strike out their text, with the element of HTML that does the same.
const MARKING_ROLES: [(&str, &str); 6] =
    [("sup", "sup"), ("superscript", "sup"), ("sub", "sub"), ("subscript", "sub"), ("del", "del"), ("strike", "del")];
/// Roles whose text is shown as typed: angle brackets in it are no target.
const AS_TYPED: &str = "code command file kbd literal math option program raw samp";

/// What a page shows of a role.
#[derive(Debug)]
pub(super) struct RoleText<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) marks: Marks,
    /// The document that it leads to; empty if none.
    pub(super) target: &'t str,
    /// Whether it stays as typed, backslashes included.
    pub(super) is_typed: bool,
}

/// What a page shows of `inside` in the role called `name`; `ref` is a reference, and no name is no role. `is_tight` tells that a target may
/// follow its title without a space.
pub(super) fn shown<'t>(name: &str, inside: &'t str, is_tight: bool) -> RoleText<'t> {
    let name = name.to_lowercase();
    let element = element(&name);
    let position = match element {
        Some("sup") => Position::Raised,
        Some("sub") => Position::Lowered,
        _ => Position::Baseline,
    };
    let marks = Marks { position, is_struck: element == Some("del"), ..Marks::default() };
    let is_typed = AS_TYPED.split(' ').any(|typed| typed == name);
    let is_number = name.starts_with("pep") || name.starts_with("rfc");
    // A tilde shows only the last part of a dotted name; an exclamation mark suppresses the link.
    let last = inside.strip_prefix('~').map(|dotted| dotted.rsplit('.').next().unwrap_or(dotted));
    let last = last.or_else(|| inside.strip_prefix('!')).filter(|_| !matches!(name.as_str(), "" | "ref"));
    let text = match title(inside, is_tight || is_number).filter(|_| !name.is_empty()) {
        _ if is_typed => Cow::Borrowed(inside),
        Some(title) => Cow::Borrowed(title),
        None if is_number => Cow::Owned(format!("{} {}", name[..3].to_uppercase(), inside.trim_start_matches('0'))),
        None => Cow::Borrowed(last.unwrap_or(inside)),
    };
    let between = || inside.strip_suffix('>').and_then(|inside| Some(inside.rsplit_once('<')?.1));
    let target = match name.as_str() {
        "doc" => between().unwrap_or(inside),
        "ref" => between().unwrap_or_default(),
        _ => "",
    };
    RoleText { text, marks, target, is_typed }
}

/// The title of `title <target>`, or the target if it has none; also of `title<target>` if `is_tight`, as the number of a proposal contains
/// no angle bracket.
fn title(inside: &str, is_tight: bool) -> Option<&str> {
    let (title, target) = inside.strip_suffix('>')?.rsplit_once('<')?;
    let is_apart = is_tight || title.is_empty() || title.ends_with(char::is_whitespace);
    let shown = if title.is_empty() { target } else { title.trim_end() };
    (is_apart && !target.trim().is_empty()).then_some(shown)
}

/// The element of HTML that does to its text what the role called `name` does: `sup`, `sub` or `del`.
pub(super) fn element(name: &str) -> Option<&'static str> {
    MARKING_ROLES.iter().find(|(role, _)| *role == name).map(|(_, element)| *element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_shows_its_title_or_its_name() {
        for (name, inside, is_tight, want) in [
            ("ref", "the dam <dam>", false, "the dam"),
            ("ref", "the dam<dam>", false, "the dam<dam>"),
            ("ref", "the dam<dam>", true, "the dam"),
            ("ref", "<dam>", true, "dam"),
            ("py:class", "~water.Dam", false, "Dam"),
            ("meth", "!Dam.open", false, "Dam.open"),
            ("PEP", "0008", false, "PEP 8"),
            ("code", "Vec<u8>", true, "Vec<u8>"),
            ("", "a <b>", false, "a <b>"),
        ] {
            assert_eq!(shown(name, inside, is_tight).text, want, "{name} {inside}");
        }
    }
}
