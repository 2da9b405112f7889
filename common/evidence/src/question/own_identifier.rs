//! The identifier of a document: `PEP 8` of the document that is PEP 8.

use precis_proto::research::Hit;

use super::entity::{identifiers, leading_identifier, number_of, starts_with};

/// Most letters of the name of a family in a field. Chosen, not measured.
const MAX_FAMILY: usize = 12;

/// The identifier of a document, from its title, else from its file name, else from the beginning of its text.
pub fn own_identifier(hit: &Hit) -> Option<String> {
    let beginning = Some(hit.text.as_str()).filter(|_| hit.range.start == 0);
    named_outside(&hit.title, &hit.document).or_else(|| named_inside(&hit.document, beginning?))
}

/// The identifier of a document from its title, else from its file name, or that of its folder if the file has no number (`README.md`);
/// `path` is a path or an address.
pub fn named_outside(title: &str, path: &str) -> Option<String> {
    if let Some(titled) = leading_identifier(title) {
        return Some(titled);
    }
    let name = numbered_name(path);
    identifiers(&name.to_uppercase()).into_iter().next().filter(|first| starts_with(name, first))
}

/// The identifier of a document from the beginning of its text: the number that its file name begins with is that of its first field
/// (`simd: 0083`) or of its first identifier (`0036-enums.md`), or it begins with one.
pub fn named_inside(path: &str, beginning: &str) -> Option<String> {
    let first = identifiers(beginning).into_iter().next();
    let number = leading_number(path);
    let has_number = |own: &String| Some(number_of(own)) == number;
    let of_field = field_identifier(beginning).filter(has_number);
    of_field.or_else(|| first.filter(|first| has_number(first) || starts_with(beginning, first)))
}

/// The identifier that the first field of a text gives, if its value is a number.
fn field_identifier(beginning: &str) -> Option<String> {
    let mut words = beginning.split_whitespace();
    let family = words.next()?.strip_suffix(':')?;
    let is_family = family.len() <= MAX_FAMILY && family.bytes().all(|byte| byte.is_ascii_alphabetic());
    let number = words.next().filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    is_family.then(|| format!("{} {}", family.to_uppercase(), number.trim_start_matches('0')))
}

/// The number that the name of a file begins with, or that of its folder if the file has none, without leading zeros.
pub fn leading_number(path: &str) -> Option<&str> {
    let name = numbered_name(path);
    let digits = &name[..name.bytes().take_while(u8::is_ascii_digit).count()];
    Some(digits.trim_start_matches('0')).filter(|digits| !digits.is_empty())
}

/// The name of a file without its ending, or that of its folder if only that has a digit.
fn numbered_name(path: &str) -> &str {
    let mut names = path.rsplit(['/', '\\']);
    let file = names.next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let has_digit = |name: &str| name.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit(stem) { stem } else { names.next().filter(|folder| has_digit(folder)).unwrap_or(stem) }
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
            ("p/0083-fees.md", "Fees", "simd: 0083 title: Fees supersedes: SIMD-0012", Some("SIMD 83")),
            ("p/0084-fees.md", "Fees", "simd: 0083 title: Fees", None),
            ("p/0083-fees.md", "Fees", "date: 2023-11-02 title: Fees", None),
            ("CIP-0030/README.md", "Bridge", "Words", Some("CIP 30")),
            ("1234-bridge/README.md", "Bridge", "Bridge of KEP-1234", Some("KEP 1234")),
        ] {
            let hit = Hit {
                document: document.to_owned(),
                title: title.to_owned(),
                range: CharRange::new(0, text.chars().count()),
                text: text.to_owned(),
                score: 1.0,
                ..Hit::default()
            };
            assert_eq!(own_identifier(&hit).as_deref(), want, "{document} {title} {text}");
            let later = Hit { range: CharRange::new(1, 2), ..hit };
            let outside = named_outside(title, document);
            assert_eq!(own_identifier(&later), outside, "{document} {title} {text}");
        }
    }
}
