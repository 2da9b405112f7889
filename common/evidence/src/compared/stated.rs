//! Dates, versions, statuses, times, names and denials stated by a sentence or by a field at the head of a document.
//!
//! Conservative: a date counts if the sentence names a one-time event (`founded`, `signed`), a version if the thing has one at a time
//! (`requires`, `is`), a status if it is stated in the present tense. A field is about the identifier at the start of its document's title.

use std::ops::Range;

use precis_language::history::{
    bounds_date, follows_opening_name, is_german, is_single_event, is_tense, names_date_field, unspaced_event,
};
use precis_language::status::names_status_field;
use precis_language::words::{Unspaced, split};
use precis_proto::research::ValueKind;

use super::clock::{ClockTime, times};
use super::context::{ClaimContext, LEAST_SHARED, is_vague, plain};
use super::date::{PartialDate, dates};
use super::office::{OfficeName, office};
use super::polarity::{Polarity, polarity};
use super::quantity::numbers;
use super::status::{Status, leading_status, predicate_status};
use super::version::{VersionNumber, leading_version, stated_version};
use crate::question::entity::leading_identifier;
use crate::question::field::fields;

/// A stated value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StatedValue {
    Date(PartialDate),
    Version(VersionNumber),
    Status(Status),
    Time(ClockTime),
    Name(OfficeName),
    Polarity(Polarity),
}

impl StatedValue {
    pub(super) fn kind(&self) -> ValueKind {
        match self {
            Self::Date(_) => ValueKind::Date,
            Self::Version(_) => ValueKind::Version,
            Self::Status(_) => ValueKind::Status,
            Self::Time(_) => ValueKind::Time,
            Self::Name(_) => ValueKind::Name,
            Self::Polarity(_) => ValueKind::Contradiction,
        }
    }

    /// Whether a thing cannot have both; `false` for values of different kinds.
    pub(super) fn differs(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Date(a), Self::Date(b)) => a.conflicts(*b),
            (Self::Version(a), Self::Version(b)) => a.differs(b),
            (Self::Status(a), Self::Status(b)) => a.differs(*b),
            (Self::Time(a), Self::Time(b)) => a != b,
            (Self::Name(a), Self::Name(b)) => a.differs(b),
            (Self::Polarity(a), Self::Polarity(b)) => a.differs(*b),
            _ => false,
        }
    }
}

/// A stated value with its context.
#[derive(Debug, Clone)]
pub(super) struct StatedClaim {
    pub(super) stated: StatedValue,
    /// The value as written.
    pub(super) value: String,
    /// The attribute of the thing: an event, `version` or `status`.
    pub(super) attribute: String,
    pub(super) context: ClaimContext,
}

impl StatedClaim {
    /// Whether both are about the same attribute of the same thing.
    pub(super) fn is_about(&self, other: &Self) -> bool {
        self.stated.kind() == other.stated.kind() && self.context.is_same(&other.context)
    }
}

/// The claims of a sentence; none if its values are approximate. `asked` are the terms of a question for a name; empty if it asks for
/// something else.
pub(super) fn stated_claims(sentence: &str, asked: &[String]) -> Vec<StatedClaim> {
    if is_vague(sentence) {
        return Vec::new();
    }
    let mut found = of_dates(sentence);
    found.extend(of_version(sentence));
    found.extend(of_status(sentence));
    found.extend(of_times(sentence));
    found.extend(of_office(sentence, asked));
    found.extend(of_polarity(sentence));
    found.retain(|claim| claim.context.terms.len() + claim.context.beside.len() >= LEAST_SHARED);
    found
}

/// The claims of the fields in a quote; none unless the document's title begins with an identifier.
pub(super) fn stated_in_fields(quote: &str, title: &str) -> Vec<StatedClaim> {
    let Some(identifier) = leading_identifier(title) else { return Vec::new() };
    let claim = |name: &str, value: &str| -> Option<StatedClaim> {
        let parts = plain(name);
        let find = |is: fn(&str) -> bool| parts.iter().find(|part| is(part)).cloned();
        if parts.len() == 1 && find(names_status_field).is_some() {
            let (status, range) = leading_status(value)?;
            let stated = StatedValue::Status(status.in_field());
            return Some(new(stated, &value[range], "status".to_owned(), &identifier));
        }
        if parts.last().is_some_and(|part| part == "version") {
            let (version, range) = leading_version(value)?;
            return Some(new(
                StatedValue::Version(version),
                &value[range],
                "version".to_owned(),
                &format!("{name} {identifier}"),
            ));
        }
        let once = find(is_single_event).or_else(|| find(names_date_field))?;
        let date = dates(value).into_iter().next().filter(|date| date.range.start == 0)?;
        Some(new(StatedValue::Date(date.date), &value[date.range], once, &format!("{name} {identifier}")))
    };
    fields(quote).iter().filter_map(|field| claim(field.name, field.value)).collect()
}

fn new(stated: StatedValue, value: &str, attribute: String, around: &str) -> StatedClaim {
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut context = ClaimContext::new(around, &numbers(around), None);
    match stated {
        StatedValue::Date(_) => context.turns.retain(|word| !is_tense(word)),
        StatedValue::Status(_) => context.terms.retain(|term| !names_status_field(term)),
        StatedValue::Version(_) | StatedValue::Time(_) | StatedValue::Name(_) | StatedValue::Polarity(_) => {}
    }
    StatedClaim { stated, value, attribute, context }
}

/// `text` without `range`.
fn without(text: &str, range: &Range<usize>) -> String {
    format!("{} {}", &text[..range.start], &text[range.end..])
}

fn of_dates(sentence: &str) -> Vec<StatedClaim> {
    let all = dates(sentence);
    let said = plain(sentence);
    let once = said.iter().find(|word| is_single_event(word)).cloned();
    let once = once.or_else(|| unspaced_event(sentence).map(str::to_owned));
    let Some(once) = once else { return Vec::new() };
    let claim = |at: usize| -> Option<StatedClaim> {
        let own = &all[at].range;
        let before = plain(&sentence[..own.start]);
        let is_bound = before.iter().rev().take(2).any(|word| bounds_date(word));
        if is_bound {
            return None;
        }
        // Write all other dates in one form, so that equal ones compare equal.
        let mut around = String::with_capacity(sentence.len());
        let mut from = 0;
        for (n, date) in all.iter().enumerate() {
            around.push_str(&sentence[from..date.range.start]);
            around.push_str(&if n == at { " ".to_owned() } else { date.date.to_string() });
            from = date.range.end;
        }
        around.push_str(&sentence[from..]);
        let claim = new(StatedValue::Date(all[at].date), &sentence[own.clone()], once.clone(), &around);
        names_one_thing(&around, &claim.context, &once).then_some(claim)
    };
    (0..all.len()).filter_map(claim).collect()
}

/// Whether the subject of a date is more than a common noun: `the contract` in two documents may be two contracts.
fn names_one_thing(around: &str, context: &ClaimContext, once: &str) -> bool {
    let is_unspaced = unspaced_event(once).is_some();
    let beside_event = context.terms.iter().filter(|term| *term != once && !is_single_event(term)).count();
    let is_german = plain(around).iter().any(|word| is_german(word));
    let words: Vec<&str> = split(around, Unspaced::Joined, &[]).into_iter().map(|word| word.text).collect();
    let is_name = |(at, word): (usize, &&str)| {
        let is_capital = word.starts_with(char::is_uppercase)
            && precis_text::terms::terms(word).iter().any(|t| context.terms.contains(t));
        // The first word of a sentence counts as a name only if one of these verbs follows directly.
        let opens = at == 0 && !words.get(1).is_some_and(|next| follows_opening_name(next));
        is_capital && !opens
    };
    is_unspaced
        || beside_event >= LEAST_SHARED
        || !context.beside.is_empty()
        || (!is_german && words.iter().enumerate().any(is_name))
}

fn of_version(sentence: &str) -> Option<StatedClaim> {
    let (version, range) = stated_version(sentence)?;
    let around = without(sentence, &range);
    Some(new(StatedValue::Version(version), &sentence[range], "version".to_owned(), &around))
}

fn of_status(sentence: &str) -> Option<StatedClaim> {
    let (status, range) = predicate_status(sentence)?;
    let around = without(sentence, &range);
    Some(new(StatedValue::Status(status), &sentence[range], "status".to_owned(), &around))
}

/// A claim for each time of day; all others are part of its context.
fn of_times(sentence: &str) -> Vec<StatedClaim> {
    let all = times(sentence);
    let claim = |(time, range): &(ClockTime, Range<usize>)| {
        let around = without(sentence, range);
        new(StatedValue::Time(*time), &sentence[range.clone()], "time".to_owned(), &around)
    };
    all.iter().map(claim).collect()
}

fn of_office(sentence: &str, asked: &[String]) -> Option<StatedClaim> {
    let (name, range) = office(sentence, asked).filter(|_| !asked.is_empty())?;
    let around = without(sentence, &range);
    Some(new(StatedValue::Name(name), &sentence[range], "name".to_owned(), &around))
}

/// The value is the sentence: what it denies shows only whole.
fn of_polarity(sentence: &str) -> Option<StatedClaim> {
    let (polarity, context) = polarity(sentence)?;
    let value = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(StatedClaim { stated: StatedValue::Polarity(polarity), value, attribute: String::new(), context })
}
