//! What a question takes for granted of a document, and header fields that say the opposite: "When was EIP-20 withdrawn?" where its status
//! is `Final`.

use precis_language::header_field::{FieldRole, asked_roles, field_role};
use precis_language::status::status;
use precis_language::words::lower_words;

use super::field_question::field;
use super::wanted::Wanted;
use crate::compared::statuses_differ;
use crate::question::asked::Question;
use crate::question::asking_words::AnswerKind;
use crate::question::entity::identifiers;

/// Whether the header field `text` denies what `query` takes for granted. The field must be of the document that is asked about.
///
/// A question for yes or no takes nothing for granted. Only a status and the year of making are compared: of other fields several values
/// may hold at once.
#[must_use]
pub fn denies(query: &str, text: &str) -> bool {
    let Some((name, value)) = field(text) else { return false };
    let wanted = Wanted::of(query);
    if wanted == Wanted::Polarity {
        return false;
    }
    match field_role(name) {
        Some(FieldRole::Status) => wanted != Wanted::Anything && denies_status(query, value),
        Some(FieldRole::Created) => wanted != Wanted::Time && denies_year(query, value),
        Some(
            FieldRole::Author | FieldRole::Owner | FieldRole::Updated | FieldRole::Requires | FieldRole::Discussion,
        )
        | None => false,
    }
}

/// Whether a document with these `names` (its title, its path, its header fields) is one that `query` names by its number.
pub fn is_about<'t>(query: &str, names: impl IntoIterator<Item = &'t str>) -> bool {
    let asked: Vec<String> =
        identifiers(query).iter().filter_map(|own| own.rsplit(' ').next().map(str::to_owned)).collect();
    let numbers = |name: &'t str| name.split(|c: char| !c.is_alphanumeric()).map(|word| word.trim_start_matches('0'));
    !asked.is_empty() && names.into_iter().flat_map(numbers).any(|own| asked.iter().any(|number| number == own))
}

/// Whether `query` takes a status or a year of making for granted.
#[must_use]
pub fn takes_for_granted(query: &str) -> bool {
    let wanted = Wanted::of(query);
    let says_status = || lower_words(query).iter().any(|word| status(word).is_some());
    !matches!(wanted, Wanted::Polarity)
        && ((wanted != Wanted::Anything && says_status()) || (wanted != Wanted::Time && !years(query).is_empty()))
}

/// Whether a question may take what a field called `name` says for granted.
#[must_use]
pub fn may_rest_on(name: &str) -> bool {
    matches!(field_role(name), Some(FieldRole::Status | FieldRole::Created))
}

fn denies_status(query: &str, value: &str) -> bool {
    lower_words(query).iter().any(|word| statuses_differ(word, value))
}

fn denies_year(query: &str, value: &str) -> bool {
    let asked = Question::new(query).wanted;
    let is_made =
        [asked, AnswerKind::Time].iter().any(|kind| asked_roles(query, *kind).iter().any(|(role, _)| is_making(*role)));
    let Some(year) = years(value).into_iter().next() else { return false };
    let named = years(query);
    is_made && !named.is_empty() && !named.contains(&year)
}

fn is_making(role: FieldRole) -> bool {
    matches!(role, FieldRole::Created | FieldRole::Author)
}

/// The numbers of `text` that are written as years: four digits, alone or before a month.
fn years(text: &str) -> Vec<u32> {
    let is_name = |at: usize| text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '#' | '.'));
    let numbers = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).filter(|at| !is_name(*at));
    // After a name in capitals a number is its own: EIP 1559, RFC 2119.
    let is_of_name = |at: usize| {
        let word = text[..at].trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        word.chars().count() > 1 && word.chars().all(|c| c.is_uppercase())
    };
    numbers
        .filter(|at| !is_of_name(*at))
        .filter_map(|at| {
            let digits: String = text[at..].chars().take_while(char::is_ascii_digit).collect();
            (digits.len() == 4).then(|| digits.parse().ok())?
        })
        .filter(|year| (1000..2200).contains(year))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_denies_a_status_or_year_presupposed_by_questions() {
        for (query, text, want) in [
            ("When was EIP-20 withdrawn?", "status: Final", true),
            ("Why was EIP-20 rejected?", "status: Final", true),
            ("When did EIP-20 become final?", "status: Draft", true),
            ("When did EIP-20 become final?", "status: Final", false),
            ("Is EIP-20 withdrawn?", "status: Final", false),
            ("Who wrote EIP-20?", "status: Final", false),
            ("Why was EIP-20 written in 2013?", "created: 2015-11-19", true),
            ("Who proposed EIP-20 in 2013?", "created: 2015-11-19", true),
            ("Who proposed EIP-20 in 2015?", "created: 2015-11-19", false),
            ("Who proposed EIP-2013?", "created: 2015-11-19", false),
            ("Who proposed RFC 2013?", "created: 2015-11-19", false),
            ("What fell in 2013?", "created: 2015-11-19", false),
            ("When was EIP-20 withdrawn?", "the status was final", false),
        ] {
            assert_eq!(denies(query, text), want, "{query} {text}");
        }
    }
}
