//! Whose value a passage gives: that of the thing the question names, or of another one.
//!
//! A passage seldom says what it is about: the heading, the title or the path above it does. So a thing counts as named by all of these, and
//! a passage without its name is another's only where some title or heading has the name: "Norby" in one title, "Sandö" in the other.

use precis_language::calendar::is_month_name;
use precis_language::detect;
use precis_text::terms::{likeness, terms};

use crate::question::analysis::analyse;
use crate::question::entity::{Entity, EntityKind, entities, is_thing};

/// The place of a passage among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// It is about the named thing, or nothing tells what it is about.
    Named,
    /// Its document speaks of the named thing; the passage and what stands above it do not.
    Beside,
    /// Its document is about something else.
    Other,
}

/// A passage, as far as it says what it is about.
#[derive(Debug, Clone, Copy)]
pub struct PassageNames<'t> {
    /// Number of its document.
    pub document: u32,
    /// Its text.
    pub text: &'t str,
    /// Headings, title and path, in any order.
    pub above: &'t [&'t str],
}

/// For each of `passages`, whose value it gives for `query`; all [`Whose::Named`] if the query names nothing, or nothing above the
/// passages tells the named thing from others.
#[must_use]
pub fn whose(query: &str, passages: &[PassageNames<'_>]) -> Vec<Whose> {
    let names = names(query);
    let mut found = vec![Whose::Named; passages.len()];
    let read: Vec<(Vec<String>, Vec<String>)> = passages.iter().map(|p| (terms(p.text), above(p))).collect();
    for name in &names {
        let is_above = |n: usize| name.is_in(&read[n].1);
        let is_in = |n: usize| name.is_in(&read[n].0);
        let has_it = (0..passages.len()).filter(|n| is_above(*n)).count();
        // A name above all passages, or above none, tells no passage from another.
        if has_it == 0 || has_it == passages.len() {
            continue;
        }
        for n in 0..passages.len() {
            if is_above(n) || is_in(n) {
                continue;
            }
            let of_document = |m: &usize| passages[*m].document == passages[n].document;
            let is_spoken_of = (0..passages.len()).filter(of_document).any(|m| is_above(m) || is_in(m));
            found[n] = match found[n] {
                Whose::Named | Whose::Beside if is_spoken_of => Whose::Beside,
                Whose::Named | Whose::Beside | Whose::Other => Whose::Other,
            };
        }
    }
    found
}

/// What a question names.
enum Name {
    /// The terms of a thing.
    Thing(Vec<String>),
    /// A day of the calendar.
    Day {
        /// Year, month and day as eight digits.
        digits: String,
        year: String,
        /// The day of the month, without a zero.
        day: String,
    },
}

impl Name {
    /// The day that `text` writes as `2020-02-04`.
    fn of_day(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('-').collect();
        let [year, month, day] = parts[..] else { return None };
        let is_day = year.len() == 4 && month.len() == 2 && day.len() == 2;
        let is_number = parts.iter().all(|part| part.bytes().all(|b| b.is_ascii_digit()));
        let day = day.trim_start_matches('0').to_owned();
        (is_day && is_number).then(|| Self::Day { digits: parts.concat(), year: year.to_owned(), day })
    }

    fn is_in(&self, own: &[String]) -> bool {
        match self {
            Self::Thing(name) => holds(own, name),
            Self::Day { digits, year, day } => {
                let is_written = |size: usize| {
                    own.windows(size).any(|terms| terms.concat().bytes().filter(u8::is_ascii_digit).eq(digits.bytes()))
                };
                // "4 February 2020": any month will do, another day has another number.
                let in_words = || own.contains(year) && own.contains(day) && own.iter().any(|word| is_month_name(word));
                (1..=MOST_PARTS).any(is_written) || in_words()
            }
        }
    }
}

/// Most terms that a day in digits is read as.
const MOST_PARTS: usize = 3;

/// Each thing or day that `query` names; none in a question of several parts, where the answer of one leads to documents that need not
/// speak of what it names.
fn names(query: &str) -> Vec<Name> {
    if analyse(query).parts.len() > 1 {
        return Vec::new();
    }
    let language = detect(query).tag;
    let is_name = |entity: &Entity| is_thing(entity, language) && entity.kind != EntityKind::Quoted;
    let things = entities(query).into_iter().filter(is_name).map(|entity| terms(&entity.text));
    let things = things.filter(|name| !name.is_empty()).map(Name::Thing);
    let words = query.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    things.chain(words.filter_map(Name::of_day)).collect()
}

fn above(passage: &PassageNames<'_>) -> Vec<String> {
    passage.above.iter().flat_map(|name| terms(name)).collect()
}

/// Whether all terms of `name` are among `own`.
fn holds(own: &[String], name: &[String]) -> bool {
    name.iter().all(|term| own.iter().any(|word| likeness(term, word) > 0.0))
}

#[cfg(test)]
mod tests {
    use Whose::{Beside, Named, Other};

    use super::*;

    fn found(query: &str, passages: &[(u32, &str, &[&str])]) -> Vec<Whose> {
        let names: Vec<PassageNames<'_>> =
            passages.iter().map(|(document, text, above)| PassageNames { document: *document, text, above }).collect();
        whose(query, &names)
    }

    #[test]
    fn a_value_belongs_to_the_thing_named_above_it() {
        let towns: [(u32, &str, &[&str]); 3] = [
            (1, "In 2020 the town had 3,400 people.", &["Norby", "Population"]),
            (2, "In 2020 the town had 900 people.", &["Sandö", "Population"]),
            (2, "It is smaller than Norby.", &["Sandö", "Climate"]),
        ];
        assert_eq!(found("How many people lived in Norby in 2020?", &towns[..2]), [Named, Other]);
        assert_eq!(found("What is the population of Sandö?", &towns), [Other, Named, Named]);
        assert_eq!(found("How many people lived in Norby in 2020?", &towns), [Named, Beside, Named]);
    }

    #[test]
    fn a_value_belongs_to_the_day_in_the_name_of_its_document() {
        let meetings: [(u32, &str, &[&str]); 4] = [
            (1, "The budget was approved.", &["Minutes", "minutes/2020-02-04.md"]),
            (2, "The budget was rejected.", &["Minutes", "minutes/2020-04-02.md"]),
            (3, "The budget was not spoken of.", &["Minutes of 2020_03_04"]),
            (4, "On 4 February 2020 the budget was approved.", &["Yearly report"]),
        ];
        let query = "What became of the budget at the meeting of 2020-02-04?";
        assert_eq!(found(query, &meetings), [Named, Other, Other, Named]);
        assert_eq!(found("What became of the budget?", &meetings), [Named; 4]);
        assert_eq!(found(query, &meetings[1..3]), [Named; 2], "no document is called after the day");
    }

    #[test]
    fn nothing_is_anothers_where_no_title_has_the_name() {
        let plain: [(u32, &str, &[&str]); 2] = [(1, "Norby has 3,400 people.", &["a.md"]), (2, "It rains.", &["b.md"])];
        assert_eq!(found("How many people live in Norby?", &plain), [Named, Named]);
        assert_eq!(found("How many people are there?", &plain), [Named, Named]);
        assert!(found("Who?", &[]).is_empty());
    }
}
