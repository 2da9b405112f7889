//! Literals: parts of a question written with symbols, such as `$*`, `--max-procs`, `C++`, `.NET`, `3.11`, `covid-19`, `PEP 8`.
//!
//! Terms alone would lose them: `C++` becomes `c`, `3.11` two numbers. A literal is searched for as written, ignoring the case of letters,
//! and never inside a longer word or number.

/// Most literals taken from one question.
const MOST: usize = 16;
/// Characters that make a piece of text a literal. Quotes, commas, brackets and sentence marks do not.
const SIGNS: &[char] =
    &['$', '*', '+', '#', '-', '.', '/', '_', ':', '<', '>', '@', '%', '&', '=', '\\', '~', '^', '|'];
/// Characters that may surround a literal or end its sentence.
const WRAPPERS: &[char] = &[
    '"', '\'', '`', '“', '”', '‘', '’', '„', '«', '»', '(', ')', '[', ']', '{', '}', ',', ';', '!', '?', '。', '？',
    '，', '、',
];

/// The literals of `query`, in ASCII lower case, distinct, in order; at most 16.
///
/// A piece between white space is a literal if it holds a sign next to a digit (`3.11`, `covid-19`), begins or ends with a sign that
/// belongs to it (`--max-procs`, `.NET`, `C++`), holds a sign unusual in prose (`a::b`, `src/x`), or consists of signs only (`$*`). A
/// capitalized word and the number behind it form one too (`PEP 8`). Hyphenated words do not count.
///
/// ```
/// use precis_text::terms::literals;
/// assert_eq!(literals("What does PEP 8 say of `$*` in C++?"), ["pep 8", "$*", "c++"]);
/// ```
#[must_use]
pub fn literals(query: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before: Option<&str> = None;
    for token in query.split_whitespace() {
        let bare = bare(token);
        if is_literal(bare) {
            push(&mut found, bare.to_ascii_lowercase());
        }
        let is_number = bare.chars().next().is_some_and(|c| c.is_ascii_digit()) && bare.len() <= 8;
        if let Some(name) = before.filter(|_| is_number) {
            push(&mut found, format!("{name} {bare}").to_ascii_lowercase());
        }
        let is_name = bare == token && bare.starts_with(char::is_uppercase) && bare.chars().all(char::is_alphabetic);
        before = is_name.then_some(bare);
    }
    found
}

fn push(found: &mut Vec<String>, literal: String) {
    if found.len() < MOST && !found.contains(&literal) {
        found.push(literal);
    }
}

/// `token` without surrounding characters and the full stop of its sentence.
fn bare(token: &str) -> &str {
    token.trim_matches(WRAPPERS).trim_end_matches(['.', ':']).trim_matches(WRAPPERS)
}

fn is_literal(piece: &str) -> bool {
    let Some(first) = piece.chars().next() else { return false };
    if !piece.contains(SIGNS) {
        return false;
    }
    if !piece.contains(char::is_alphanumeric) {
        // A dash between words is punctuation, not a literal.
        return piece.len() >= 2 && piece.bytes().any(|b| !matches!(b, b'-' | b'.')) && piece.is_ascii();
    }
    let opens = SIGNS.contains(&first) && piece.trim_start_matches(SIGNS).starts_with(char::is_alphanumeric);
    let closes = piece.ends_with(['+', '#', '*', '=', '/']);
    let holds = piece.contains(['/', '\\', '_', '@', '=', '$', '#', '+', '<', '>', '~']) || piece.contains("::");
    let numbered = piece.contains(['.', '-', ':', '%']) && piece.contains(|c: char| c.is_ascii_digit());
    opens || closes || holds || numbered
}

/// How often `literal`, in lower case, occurs in `text` outside of longer words, numbers or runs of its signs. One pass.
#[must_use]
pub fn count_literal(text: &str, literal: &str) -> u32 {
    let (hay, needle) = (text.as_bytes(), literal.as_bytes());
    let Some(&first) = needle.first() else { return 0 };
    let mut found = 0;
    for at in 0..(hay.len() + 1).saturating_sub(needle.len()) {
        let is_here = hay[at].to_ascii_lowercase() == first && hay[at..at + needle.len()].eq_ignore_ascii_case(needle);
        found += u32::from(is_here && is_apart(text, at, at + needle.len()));
    }
    found
}

/// Whether no word or number continues across either end of `start..end`.
fn is_apart(text: &str, start: usize, end: usize) -> bool {
    // UTF-8 is self-synchronizing: a byte match of whole characters begins and ends at character borders.
    let (inside, before, behind) = (&text[start..end], &text[..start], &text[end..]);
    let joins = |a: Option<char>, b: Option<char>| match (a, b) {
        (Some(a), Some(b)) => (a.is_alphanumeric() && b.is_alphanumeric()) || (a == b && SIGNS.contains(&a)),
        _ => false,
    };
    let is_cut_number = inside.ends_with(|c: char| c.is_ascii_digit())
        && behind.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    !joins(before.chars().next_back(), inside.chars().next())
        && !joins(inside.chars().next_back(), behind.chars().next())
        && !is_cut_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_with_symbols_is_a_literal_and_prose_is_not() {
        let table: [(&str, &[&str]); 12] = [
            ("What is `$*`?", &["$*"]),
            ("What does --max-procs do?", &["--max-procs"]),
            ("New in Python 3.11?", &["3.11", "python 3.11"]),
            ("Is C++ faster than .NET or C#?", &["c++", ".net", "c#"]),
            ("what about foo_bar and src/main.rs", &["foo_bar", "src/main.rs"]),
            ("How does covid-19 spread?", &["covid-19"]),
            ("What does PEP 8 say?", &["pep 8"]),
            ("A well-known co-operation - so to speak -- ended.", &[]),
            ("Who, when, and why? (He said: \"no\".)", &[]),
            ("the U.S. army", &[]),
            ("a && b", &["&&"]),
            ("", &[]),
        ];
        for (query, want) in table {
            assert_eq!(literals(query), want, "{query}");
        }
    }

    #[test]
    fn a_literal_is_counted_as_written_and_not_inside_another() {
        for (text, literal, count) in [
            ("C++ and c++.", "c++", 2),
            ("xC++ C+++", "c++", 0),
            ("3.11, 3.11.2, 13.11 and 3.115", "3.11", 1),
            ("ends in 3.11.", "3.11", 1),
            ("use --max-procs=4", "--max-procs", 1),
            ("PEP 8 and PEP 81", "pep 8", 1),
            ("ASP.NET and .NET", ".net", 2),
            ("é$* $*", "$*", 2),
            ("", "x", 0),
            ("x", "", 0),
        ] {
            assert_eq!(count_literal(text, literal), count, "{text}");
        }
    }

    #[test]
    fn no_question_gives_more_literals_than_the_most() {
        let ask = |n: usize| (0..n).map(|k| format!("x_{k} ")).collect::<String>();
        for (asked, given) in [(MOST - 1, MOST - 1), (MOST, MOST), (MOST + 1, MOST)] {
            assert_eq!(literals(&ask(asked)).len(), given);
        }
    }
}
