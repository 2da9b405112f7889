//! Things that a text names: identifiers, quoted words, dates, numbers, and runs of capitalized words.
//!
//! Recognized by form alone, in any language; a script without capitals gives no names. German capitalizes all nouns, so German names are
//! only candidates and depend on their score.

use precis_language::heading::{joins_list, joins_names};
use precis_language::question_words::is_question_word;
use precis_language::words::{Unspaced, split};
use precis_text::terms;

/// The kind of a named thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntityKind {
    /// A name with a number: `PEP 8`, `RFC 2616`, `CVE-2021-44228`.
    Identifier,
    /// Words in quotation marks.
    Quoted,
    /// A run of capitalized words.
    Name,
    /// A year or a day.
    Date,
    /// Any other number.
    Number,
}

/// A thing that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Its kind.
    pub kind: EntityKind,
    /// As written; an identifier as its name, a space, and its number without leading zeros.
    pub text: String,
    /// Its first byte.
    pub at: usize,
    /// Whether it is a single word that begins a sentence, so that its capital proves little.
    pub opens: bool,
}

impl Entity {
    /// Comparison key: two entities with equal keys are the same thing.
    pub fn key(&self) -> String {
        key(&self.text)
    }
}

/// Whether `entity` is a thing that a question in `language` can be about, judged by its form. Numbers and dates are not, nor is a single
/// word capitalized because it opens a sentence or because German capitalizes nouns.
pub fn is_thing(entity: &Entity, language: &str) -> bool {
    match entity.kind {
        EntityKind::Identifier | EntityKind::Quoted => true,
        EntityKind::Name => {
            let lone = !entity.text.contains([' ', '-']) && entity.text.chars().any(char::is_lowercase);
            let is_german_noun = language == "de" && lone;
            !entity.opens && !is_german_noun
        }
        EntityKind::Date | EntityKind::Number => false,
    }
}

/// `text` in lower case with single spaces.
pub fn key(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Most entities read from one text; bounds the time for long lists of names.
const MOST: usize = 200;
/// Marks that may separate the name of an identifier from its number.
const BETWEEN: [char; 7] = [' ', '-', ':', '`', '#', '/', '_'];
/// Most such marks in a row.
const MOST_BETWEEN: usize = 3;
/// Opening and closing quotation marks.
const QUOTES: [(char, char); 9] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('「', '」'), ('『', '』'), ('《', '》'), ('‘', '’')];
/// Most characters inside quotation marks.
const MAX_QUOTED: usize = 80;

/// A word of letters and digits.
struct EntityWord<'t> {
    at: usize,
    text: &'t str,
    /// The text between the previous word and this one.
    gap: &'t str,
}

/// The things that `text` names, in order; each once, at its first occurrence.
///
/// ```
/// use precis_evidence::question::entity::{EntityKind, entities};
///
/// let found = entities("When did PEP 008 mention Guido van Rossum?");
/// let named: Vec<(EntityKind, &str)> = found.iter().map(|one| (one.kind, one.text.as_str())).collect();
/// assert!(named.contains(&(EntityKind::Identifier, "PEP 8")));
/// assert!(named.contains(&(EntityKind::Name, "Guido van Rossum")));
/// ```
#[must_use]
pub fn entities(text: &str) -> Vec<Entity> {
    let words = words(text);
    let mut found = quoted_entities(text);
    let mut at = 0;
    while at < words.len() && found.len() < MOST {
        if let Some((identifier, used)) = identifier(&words, at) {
            found.push(identifier);
            at += used;
        } else if let Some((name, used)) = name(&words, at) {
            found.push(name);
            at += used;
        } else {
            found.extend(number(&words[at]));
            at += 1;
        }
    }
    found.sort_by_key(|entity| (entity.at, entity.kind));
    let mut keys = std::collections::BTreeSet::new();
    found.retain(|entity| keys.insert(entity.key()));
    found
}

/// The identifiers that a question names, for finding the documents that have them.
#[derive(Debug)]
pub struct NamedThings {
    /// The [`key`] of each.
    keys: Vec<String>,
}

impl NamedThings {
    /// The identifiers in `query`.
    #[must_use]
    pub fn of_question(query: &str) -> Self {
        Self { keys: identifiers(query).iter().map(|name| key(name)).collect() }
    }

    /// Whether the question names no identifier.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether the question names the identifier with this [`key`].
    #[must_use]
    pub fn include(&self, named: &str) -> bool {
        self.keys.iter().any(|name| name == named)
    }

    /// Whether the question names an identifier with this number, written without leading zeros.
    #[must_use]
    pub fn have_number(&self, number: &str) -> bool {
        self.keys.iter().any(|name| number_of(name) == number)
    }
}

/// The identifier that `text` begins with, as in a title such as "PEP 8 – Style Guide".
pub fn leading_identifier(text: &str) -> Option<String> {
    identifiers(text).into_iter().next().filter(|first| starts_with(text, first))
}

/// The number at the end of `identifier`, without its family.
#[must_use]
pub fn number_of(identifier: &str) -> &str {
    identifier.rsplit_once(' ').map_or(identifier, |(_, number)| number)
}

/// Whether `text` begins with the family of `identifier`.
pub(super) fn starts_with(text: &str, identifier: &str) -> bool {
    text.trim_start().to_lowercase().starts_with(&family(identifier).to_lowercase())
}

/// The identifiers of `text` only, in order.
pub fn identifiers(text: &str) -> Vec<String> {
    let words = words(text);
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let Some((entity, used)) = identifier(&words, at) else {
            at += 1;
            continue;
        };
        at += used;
        if !found.contains(&entity.text) {
            found.push(entity.text);
        }
    }
    found
}

/// The identifiers at the beginning of `list`, and the byte at which the last one ends; bare numbers belong to `family`, as in `484, 526`
/// after `Requires:`.
pub(super) fn listed_identifiers(list: &str, family: &str) -> (Vec<String>, usize) {
    let mut found = Vec::new();
    let words = words(list);
    let (mut at, mut end) = (0, 0);
    while let Some(word) = words.get(at) {
        let is_list =
            word.gap.chars().all(|c| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '`' | '#' | '[' | ']' | '-'));
        if !is_list && at > 0 {
            break;
        }
        if let Some((entity, used)) = identifier(&words, at) {
            found.push(entity.text);
            at += used;
            end = words[at - 1].at + words[at - 1].text.len();
        } else if is_digits(word.text) {
            found.push(format!("{family} {}", strip_zeros(word.text)));
            at += 1;
            end = word.at + word.text.len();
        } else if word.text.to_uppercase() == family.to_uppercase() || joins_list(word.text) {
            at += 1;
        } else {
            break;
        }
    }
    (found, end)
}

/// The name before an identifier's number: `PEP` of `PEP 8`.
pub fn family(identifier: &str) -> &str {
    identifier.rsplit_once(' ').map_or(identifier, |(name, _)| name)
}

/// The words of `text` without a possessive ending.
fn words(text: &str) -> Vec<EntityWord<'_>> {
    let mut found: Vec<EntityWord<'_>> = Vec::new();
    let mut end = 0;
    for word in split(text, Unspaced::Joined, &['\'', '’']) {
        let at = word.range.start;
        let bare = word.text.strip_suffix("'s").or_else(|| word.text.strip_suffix("’s")).unwrap_or(word.text);
        found.push(EntityWord { at, text: bare, gap: &text[end..at] });
        end = at + bare.len();
    }
    found
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.len() <= 12 && word.bytes().all(|b| b.is_ascii_digit())
}

fn strip_zeros(number: &str) -> &str {
    let bare = number.trim_start_matches('0');
    if bare.is_empty() { "0" } else { bare }
}

/// Whether a number may follow `word` and make an identifier with it.
fn is_family(word: &str) -> bool {
    let letters = word.chars().count();
    let all_capitals = letters >= 2 && word.chars().all(char::is_uppercase);
    all_capitals && letters <= 12
}

fn identifier(words: &[EntityWord<'_>], at: usize) -> Option<(Entity, usize)> {
    let word = &words[at];
    let entity = |text: String| Entity { kind: EntityKind::Identifier, text, at: word.at, opens: false };
    if let Some(split) = word.text.find(|c: char| c.is_ascii_digit()) {
        let (name, number) = word.text.split_at(split);
        let glued = is_family(name) && number.len() >= 3 && is_digits(number);
        return glued.then(|| (entity(format!("{name} {}", strip_zeros(number))), 1));
    }
    let next = words.get(at + 1)?;
    let apart = !next.gap.is_empty()
        && next.gap.chars().count() <= MOST_BETWEEN
        && next.gap.chars().all(|c| BETWEEN.contains(&c));
    // A role of a markup language is written in lower case: :pep:`484`.
    let is_role = next.gap == ":`";
    if !apart || !is_digits(next.text) || !(is_family(word.text) || is_role) {
        return None;
    }
    let name = if is_role { word.text.to_uppercase() } else { word.text.to_owned() };
    // CVE-2021-44228: the number has a second part.
    let more = words.get(at + 2).filter(|third| third.gap == "-" && next.gap == "-" && is_digits(third.text));
    Some(match more {
        Some(third) => (entity(format!("{name} {}-{}", next.text, third.text)), 3),
        None => (entity(format!("{name} {}", strip_zeros(next.text))), 2),
    })
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase) && word.chars().any(char::is_alphabetic)
}

/// Whether `word` continues a name after `before`: only a space, a hyphen, " & ", or the full stop of an initial is between them.
fn goes_on(before: &EntityWord<'_>, word: &EntityWord<'_>) -> bool {
    matches!(word.gap, " " | "-" | "–" | " & ") || (before.text.chars().count() <= 2 && word.gap == ". ")
}

fn name(words: &[EntityWord<'_>], at: usize) -> Option<(Entity, usize)> {
    let first = &words[at];
    let opens = at == 0 || first.gap.contains(['.', '?', '!', ':', '¿', '¡', '"', '\n', '=', '*']);
    if !is_capital(first.text) || (is_function(first.text) && !is_family(first.text)) {
        return None;
    }
    let mut end = at + 1;
    while let Some(word) = words.get(end).filter(|word| goes_on(&words[end - 1], word)) {
        // "Moon River The Moon River is": a title runs into the sentence after it without punctuation.
        let again = is_capital(word.text) && (word.text == first.text || is_opening(word.text));
        if again {
            break;
        }
        let is_number = is_digits(word.text) && word.text.len() <= 2;
        if is_capital(word.text) || is_number {
            end += 1;
            continue;
        }
        // Joining words belong to the name only if a capitalized word follows.
        let joined = (1..=2).find(|more| {
            let next = words.get(end + more);
            let between = &words[end..(end + more).min(words.len())];
            between.iter().all(|word| joins_names(word.text) || word.text == "the")
                && next.is_some_and(|next| next.gap == " " && is_capital(next.text))
        });
        let Some(more) = joined else { break };
        end += more + 1;
    }
    let last = &words[end - 1];
    let text: String = words[at..end]
        .iter()
        .enumerate()
        .map(|(n, word)| if n == 0 { word.text.to_owned() } else { format!("{}{}", word.gap, word.text) })
        .collect();
    let lone = end == at + 1;
    if text.chars().count() < 2 || (lone && is_digits(last.text)) {
        return None;
    }
    Some((Entity { kind: EntityKind::Name, text, at: first.at, opens: opens && lone }, end - at))
}

/// Whether a capitalized word is a function word that opens a sentence, not a name: `The`, `In`.
fn is_opening(word: &str) -> bool {
    word.chars().any(char::is_lowercase) && is_function(word) && word.chars().count() > 1
}

fn is_function(word: &str) -> bool {
    terms::terms(word).is_empty() || is_question_word(&word.to_lowercase())
}

fn number(word: &EntityWord<'_>) -> Option<Entity> {
    let is_number = word.text.chars().next().is_some_and(char::is_numeric) && word.text.len() <= 16;
    let is_year = is_digits(word.text) && word.text.len() == 4 && matches!(word.text.as_bytes()[0], b'1' | b'2');
    let kind = if is_year { EntityKind::Date } else { EntityKind::Number };
    is_number.then(|| Entity { kind, text: word.text.to_owned(), at: word.at, opens: false })
}

fn quoted_entities(text: &str) -> Vec<Entity> {
    let mut found = Vec::new();
    let mut skip_to = 0;
    for (at, c) in text.char_indices() {
        let Some((_, close)) = QUOTES.iter().find(|(open, _)| *open == c).filter(|_| at >= skip_to) else { continue };
        let start = at + c.len_utf8();
        let Some((length, _)) = text[start..].char_indices().take(MAX_QUOTED + 1).find(|(_, c)| c == close) else {
            continue;
        };
        let inside = text[start..start + length].trim();
        skip_to = start + length + close.len_utf8();
        if inside.chars().count() >= 2 && inside.chars().any(char::is_alphanumeric) {
            found.push(Entity { kind: EntityKind::Quoted, text: inside.to_owned(), at: start, opens: false });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_recognized_by_its_form() {
        use EntityKind::{Date, Identifier, Name, Number, Quoted};
        for (text, want) in [
            ("What does PEP 409 require?", vec![(Identifier, "PEP 409")]),
            ("see :pep:`0484` and RFC2616", vec![(Identifier, "PEP 484"), (Identifier, "RFC 2616")]),
            ("CVE-2021-44228 hit Log4j", vec![(Identifier, "CVE 2021-44228"), (Name, "Log4j")]),
            ("PEP: 12 Title", vec![(Identifier, "PEP 12"), (Name, "Title")]),
            ("in the University of Oxford, 1998", vec![(Name, "University of Oxford"), (Date, "1998")]),
            ("Ludwig van Beethoven's 9 works", vec![(Name, "Ludwig van Beethoven"), (Number, "9")]),
            ("the film \"Kiss and Tell\"", vec![(Quoted, "Kiss and Tell"), (Name, "Kiss"), (Name, "Tell")]),
            ("John F. Kennedy and Mary", vec![(Name, "John F. Kennedy"), (Name, "Mary")]),
            ("谁写了《红楼梦》", vec![(Quoted, "红楼梦")]),
            ("Moon River The Moon River is old", vec![(Name, "Moon River")]),
            ("the of and", vec![]),
            ("", vec![]),
        ] {
            let found = entities(text);
            let found: Vec<(EntityKind, &str)> = found.iter().map(|e| (e.kind, e.text.as_str())).collect();
            assert_eq!(found, want, "{text}");
        }
    }

    #[test]
    fn numbers_of_a_list_belong_to_the_family_of_the_document() {
        for (list, family, want, end) in [
            ("484, 526 Created: 3", "PEP", &["PEP 484", "PEP 526"][..], 8),
            ("RFC 2616, RFC 7230 (partly)", "RFC", &["RFC 2616", "RFC 7230"], 18),
            (" PEP 734 .. note:: 9", "PEP", &["PEP 734"], 8),
            ("nothing", "PEP", &[], 0),
            ("", "PEP", &[], 0),
        ] {
            let (found, found_end) = listed_identifiers(list, family);
            assert_eq!(
                (found.as_slice(), found_end),
                (want.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice(), end),
                "{list}"
            );
        }
    }

    #[test]
    fn a_question_names_documents_whatever_form_their_numbers_have() {
        let named = NamedThings::of_question("What is PEP 8, and RFC-2119?");
        for (title, want) in [
            ("PEP 8: Style Guide", true),
            ("PEP 0008 – Style Guide", true),
            ("RFC 2119", true),
            ("PEP 540: Add a new UTF-8 Mode", false),
            ("A rival of PEP 8", false),
            ("", false),
        ] {
            let own = leading_identifier(title).map(|own| key(&own));
            assert_eq!(own.is_some_and(|own| named.include(&own)), want, "{title}");
        }
        assert!(named.have_number("2119") && !named.have_number("02119"));
        assert!(NamedThings::of_question("What is new?").is_empty());
    }
}
