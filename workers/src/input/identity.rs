//! Ids of documents: short, stable, readable, and independent of where the folder is.

use std::collections::BTreeSet;

use precis_proto::SourceId;
use precis_proto::ids::sha256_hex;

/// Most characters of a name used in an id; chosen so that an id fits on one line of a table.
const SLUG_CHARS: usize = 40;
/// Hexadecimal digits after the name. If two documents share name and digits, a counter distinguishes them.
const HASH_DIGITS: usize = 8;

/// Assigns unique ids.
#[derive(Debug, Default)]
pub(super) struct Names {
    given: BTreeSet<String>,
}

impl Names {
    /// Returns the id of a document called `name` at `place` (a path relative to the given path, or an address) with this content.
    pub(super) fn name(&mut self, name: &str, place: &str, content: &str) -> SourceId {
        // NUL separates the two: it occurs in no path or address, so no other pair gives the same text.
        let hash = sha256_hex(format!("{place}\0{content}").as_bytes());
        let stem = format!("{}-{}", slug(name), &hash[..HASH_DIGITS]);
        let mut id = stem.clone();
        for n in 2.. {
            if self.given.insert(id.clone()) {
                break;
            }
            id = format!("{stem}-{n}");
        }
        SourceId::new(id).expect("a slug is short, not empty and holds no control characters")
    }
}

/// Returns whether the part after the last dot of a name looks like a file extension.
fn is_ending(text: &str) -> bool {
    text.len() <= 8 && text.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Returns `name` without its extension, in lower case, with single hyphens for other characters; `source` if nothing is left.
pub(crate) fn slug(name: &str) -> String {
    let stem = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_ending(ending) => stem,
        _ => name,
    };
    let mut slug = String::new();
    for c in stem.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let cut: String = slug.chars().take(SLUG_CHARS).collect();
    let cut = cut.trim_end_matches('-');
    if cut.is_empty() { "source".to_owned() } else { cut.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_what_can_be_read_of_a_name() {
        let long = "x".repeat(300);
        for (name, expected) in [
            ("Annual Report (2024).pdf", "annual-report-2024"),
            ("README", "readme"),
            (".hidden", "hidden"),
            ("../../etc/passwd", "etc-passwd"),
            ("文書.pdf", "文書"),
            ("Müller & Söhne.html", "müller-söhne"),
            ("a.b.c.txt", "a-b-c"),
            ("Vol. 2", "vol-2"),
            ("___.md", "source"),
            ("", "source"),
            (long.as_str(), &long[..SLUG_CHARS]),
        ] {
            assert_eq!(slug(name), expected, "{name}");
        }
    }

    #[test]
    fn an_id_depends_on_place_and_content_and_is_given_once() {
        let mut names = Names::default();
        let first = names.name("a.txt", "x/a.txt", "h1");
        assert_eq!(first, Names::default().name("a.txt", "x/a.txt", "h1"));
        assert_ne!(first, names.name("a.txt", "y/a.txt", "h1"));
        assert_ne!(first, names.name("a.txt", "x/a.txt", "h2"));
        assert_eq!(names.name("a.txt", "x/a.txt", "h1").as_str(), format!("{first}-2"));
        assert_eq!(first.as_str().len(), "a-".len() + HASH_DIGITS);
    }
}
