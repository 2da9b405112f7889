//! Queries for a gap: in other words than before, made only of material that the lane may see.

use precis_evidence::question::entity::entities;
use precis_proto::research::GapKind;
use precis_text::terms::query_terms;

use super::gaps::ThinSpot;
use crate::bridge::{View, candidates};
use crate::course::ResearchCourse;
use crate::search::TermFrequencies;

/// Most queries for one gap.
pub const QUERIES_EACH: usize = 3;
/// Most terms of a query made from a statement (chosen, not measured).
pub const QUERY_TERMS: usize = 12;
/// Most characters of any query (chosen, not measured).
pub const QUERY_CHARS: usize = 200;
/// Names from passages that are followed for one gap; its other queries rephrase the gap.
const LEADS_EACH: usize = 1;

/// Candidate queries for `spot`, best first; the caller removes those made before.
pub(super) fn queries(course: &ResearchCourse, spot: &ThinSpot, words: &dyn TermFrequencies) -> Vec<String> {
    let mut all = match spot.kind {
        GapKind::SubQuestion => of_sub_question(course, spot.sub_question, words),
        GapKind::Statement => of_statement(&spot.text),
        GapKind::Disagreement => of_values(course, spot),
        GapKind::Model => spot.values.clone(),
    };
    all.iter_mut().for_each(|query| *query = cut(query));
    all.retain(|query| !query.is_empty());
    all
}

/// Names from the lane's best passages, then the facets of the sub-question: each thing with its terms, then each alone.
fn of_sub_question(course: &ResearchCourse, at: usize, words: &dyn TermFrequencies) -> Vec<String> {
    let question = course.question();
    let view = View {
        question: &question,
        sought: &course.sought,
        known: &course.known,
        pool: &course.pool,
        weights: &course.weights,
        words,
        tried: &course.tried,
    };
    // Names that lead on from the sub-questions it rests on are its subject, so they count as its own.
    let before = course.sought.get(at).map(|of| of.after.as_slice()).unwrap_or_default();
    let leads = candidates(&view).into_iter().filter(|one| one.sought == at || before.contains(&one.sought));
    let mut all: Vec<String> = leads.take(LEADS_EACH).map(|candidate| candidate.query).collect();
    let facets = course.plan.sub_questions.get(at).map(|of| of.facets.as_slice()).unwrap_or_default();
    let named = facets.iter().any(|facet| facet.entity.is_some());
    // "What did it change" names nothing, and one common word finds documents but no answer: add the names of the whole question.
    let about = if named { String::new() } else { format!("{} {}", names(&course.plan.brief.question), course.said) };
    for facet in facets {
        let terms = facet.terms.join(" ");
        let of = facet.entity.as_deref().unwrap_or(about.trim());
        all.push(format!("{of} {terms}").trim().to_owned());
    }
    for facet in facets {
        all.extend(facet.entity.clone());
        if facet.terms.len() > 1 || about.trim().is_empty() {
            all.push(facet.terms.join(" "));
        }
    }
    all
}

/// The things that a text names, joined by spaces.
fn names(text: &str) -> String {
    entities(text).into_iter().map(|entity| entity.text).collect::<Vec<_>>().join(" ")
}

/// Two queries for a statement: its terms, and the things it names.
fn of_statement(text: &str) -> Vec<String> {
    let mut terms = query_terms(text);
    terms.truncate(QUERY_TERMS);
    vec![terms.join(" "), names(text)]
}

/// One query for each differing value, with the things that the question names.
fn of_values(course: &ResearchCourse, spot: &ThinSpot) -> Vec<String> {
    let named = names(&course.plan.brief.question);
    spot.values.iter().map(|value| format!("{named} {value}").trim().to_owned()).collect()
}

/// A query of at most [`QUERY_CHARS`] characters, cut between words.
fn cut(query: &str) -> String {
    let mut short = String::new();
    for word in query.split_whitespace() {
        let blank = usize::from(!short.is_empty());
        if short.chars().count() + blank + word.chars().count() > QUERY_CHARS {
            break;
        }
        if blank == 1 {
            short.push(' ');
        }
        short.push_str(word);
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_at_most_so_many_characters_and_whole_words() {
        for (word, count, want) in [("abc", 50, 199), ("abcd", 40, 199), ("abcd", 41, 199)] {
            assert_eq!(cut(&vec![word; count].join(" ")).chars().count(), want, "{word} {count}");
        }
        for (chars, want) in [(QUERY_CHARS - 1, QUERY_CHARS - 1), (QUERY_CHARS, QUERY_CHARS), (QUERY_CHARS + 1, 0)] {
            assert_eq!(cut(&"ü".repeat(chars)).chars().count(), want, "{chars}");
        }
        assert_eq!(cut("  a \n b "), "a b");
    }

    #[test]
    fn a_query_of_a_statement_has_at_most_so_many_terms() {
        for (terms, want) in
            [(QUERY_TERMS - 1, QUERY_TERMS - 1), (QUERY_TERMS, QUERY_TERMS), (QUERY_TERMS + 1, QUERY_TERMS)]
        {
            let text = (0..terms).map(|n| format!("granite{n}")).collect::<Vec<_>>().join(" ");
            assert_eq!(of_statement(&text)[0].split(' ').count(), want, "{terms}");
        }
    }
}
