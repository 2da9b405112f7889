//! The identifier of a document: `PEP 8` of the document that is PEP 8.

use precis_proto::research::Hit;

use super::entity::{identifiers, leading_identifier, number_of, starts_with};

/// The identifier of a document, from its title, else from its file name, else from the beginning of its text.
pub fn own_identifier(hit: &Hit) -> Option<String> {
    let beginning = Some(hit.text.as_str()).filter(|_| hit.range.start == 0);
    named_outside(&hit.title, &hit.document).or_else(|| named_inside(&hit.document, beginning?))
}

/// The identifier of a document from its title, else from its file name; `path` is a path or an address.
pub fn named_outside(title: &str, path: &str) -> Option<String> {
    if let Some(titled) = leading_identifier(title) {
        return Some(titled);
    }
    let stem = stem(path);
    identifiers(&stem.to_uppercase()).into_iter().next().filter(|first| starts_with(stem, first))
}

/// The identifier of a document from the beginning of its text: it begins with one, or its first one has the number that its file name
/// begins with, as in `0036-enums.md`.
pub fn named_inside(path: &str, beginning: &str) -> Option<String> {
    let first = identifiers(beginning).into_iter().next()?;
    let is_own =
        starts_with(beginning, &first) || leading_number(path).is_some_and(|number| number == number_of(&first));
    is_own.then_some(first)
}

/// The number that a file name begins with, without leading zeros.
pub fn leading_number(path: &str) -> Option<&str> {
    let stem = stem(path);
    let digits = &stem[..stem.bytes().take_while(u8::is_ascii_digit).count()];
    Some(digits.trim_start_matches('0')).filter(|digits| !digits.is_empty())
}

fn stem(path: &str) -> &str {
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use precis_proto::CharRange;

    use super::*;

    #[test]
    fn a_document_is_known_by_title_file_or_first_words() {
        for (document, title, text, want) in [
            ("x/pep-0012.rst", "", "", Some("PEP 12")),
            ("rfc2616.txt", "", "", Some("RFC 2616")),
            ("1.txt", "RFC 7230: HTTP", "", Some("RFC 7230")),
            ("1.txt", "On RFC 7230", "PEP: 12 Title", Some("PEP 12")),
            ("1.txt", "", "see PEP 12", None),
            ("29-2.txt", "", "", None),
            ("p/0036-enums.md", "Enums", "Enums Proposal: SE-0036 Authors: A", Some("SE 36")),
            ("p/0036-enums.md", "Enums", "Enums Proposal: SE-0037 Authors: A", None),
            ("p/enums.md", "Enums", "Enums Proposal: SE-0036 Authors: A", None),
            ("0000.md", "", "T SE-0", None),
        ] {
            let hit = Hit {
                document: document.to_owned(),
                address: None,
                title: title.to_owned(),
                published: None,
                headings: Vec::new(),
                range: CharRange::new(0, text.chars().count()),
                text: text.to_owned(),
                score: 1.0,
                source_text_hash: String::new(),
            };
            assert_eq!(own_identifier(&hit).as_deref(), want, "{document} {title} {text}");
            let later = Hit { range: CharRange::new(1, 2), ..hit };
            let outside = named_outside(title, document);
            assert_eq!(own_identifier(&later), outside, "{document} {title} {text}");
        }
    }
}
