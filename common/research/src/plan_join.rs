//! Joins a model's plan with the built-in one: what the model left out of the question is added, so that research with a weak model never
//! searches for less than research without one. A plan that names all parts of the question stays as it is.

use std::collections::BTreeSet;

use precis_evidence::question::relation::Relation;
use precis_proto::research::{Brief, Facet, SubQuestion, SubQuestionOrigin};
use precis_proto::task::{DRAFT_NOTES, PlanDraft, SUB_QUESTION_BOUND, SubQuestionDraft};
use precis_text::terms::{likeness, terms};

use super::plan::{Plan, answered_when, complexity, facets};
use super::researcher::normalize;

/// A sub-question before it has its final position and id.
struct UnplacedQuestion {
    text: String,
    answered_when: String,
    priority: u8,
    /// Indexes of the parts it rests on; unchecked, may include its own.
    after: Vec<usize>,
    /// Facets of a built-in part; empty for a model's part, whose facets are computed later.
    facets: Vec<Facet>,
}

/// The plan of `draft` plus the facets of those parts of `built_in` that it does not name: at most [`SUB_QUESTION_BOUND`] sub-questions, numbered from `q1`, each
/// resting only on earlier ones. `written_by` keeps the value of `built_in`; the caller sets it.
#[must_use]
pub fn join(built_in: Plan, draft: PlanDraft) -> Plan {
    let mut own = parts(&draft.sub_questions, SUB_QUESTION_BOUND);
    let mut missing = missing(&built_in, &own);
    if own.len() + missing.len() > SUB_QUESTION_BOUND {
        own = parts(&draft.sub_questions, SUB_QUESTION_BOUND.saturating_sub(built_in.sub_questions.len()));
        missing = self::missing(&built_in, &own);
    }
    let added = own.len();
    // The index of the part that now covers a built-in sub-question.
    let place = |id: &String| {
        let at = built_in.sub_questions.iter().position(|one| one.id == *id)?;
        let own = || {
            let facets = &built_in.sub_questions[at].facets;
            own.iter().position(|part| facets.iter().all(|facet| HeldText::new(&part.text).covers(facet)))
        };
        missing.iter().position(|(of, _)| *of == at).map(|n| added + n).or_else(own)
    };
    let rests: Vec<Vec<usize>> =
        missing.iter().map(|(at, _)| built_in.sub_questions[*at].after.iter().filter_map(place).collect()).collect();
    for ((at, facets), after) in missing.into_iter().zip(rests) {
        let one = &built_in.sub_questions[at];
        own.push(UnplacedQuestion {
            text: one.text.clone(),
            answered_when: one.answered_when.clone(),
            priority: one.priority,
            after,
            facets,
        });
    }
    if own.is_empty() {
        return built_in;
    }
    own.truncate(SUB_QUESTION_BOUND);
    let sub_questions = number_parts(own, &built_in.brief.language);
    Plan { brief: brief(built_in.brief, &draft, &sub_questions), sub_questions }
}

/// The sub-questions of a draft without empty and repeated ones, at most `most`.
fn parts(drafts: &[SubQuestionDraft], most: usize) -> Vec<UnplacedQuestion> {
    let mut parts: Vec<UnplacedQuestion> = Vec::new();
    // The index that each sub-question of the draft received; `None` if it was left out.
    let mut places: Vec<Option<usize>> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for draft in drafts {
        let text = normalize(&draft.text);
        let known = texts.iter().position(|other| *other == text);
        if known.is_none() && !text.is_empty() && parts.len() < most {
            texts.push(text);
            places.push(Some(parts.len()));
            parts.push(UnplacedQuestion {
                text: draft.text.split_whitespace().collect::<Vec<_>>().join(" "),
                answered_when: draft.answered_when.clone(),
                priority: draft.priority.clamp(1, 3),
                after: draft.after.iter().map(|n| *n as usize).collect(),
                facets: Vec::new(),
            });
        } else {
            places.push(known);
        }
    }
    for part in &mut parts {
        // Numbers of the draft count from 1; 0 wraps and finds nothing.
        let after = part.after.iter().filter_map(|n| places.get(n.wrapping_sub(1)).copied().flatten());
        part.after = after.collect();
    }
    parts
}

/// Facets that no part covers, of those sub-questions of the built-in plan that the parts together do not name, each with the index of its
/// sub-question.
fn missing(built_in: &Plan, parts: &[UnplacedQuestion]) -> Vec<(usize, Vec<Facet>)> {
    let whole: Vec<&str> = parts.iter().flat_map(|part| [part.text.as_str(), part.answered_when.as_str()]).collect();
    let whole = HeldText::new(&whole.join("\n"));
    let texts: Vec<HeldText> = parts.iter().map(|part| HeldText::new(&part.text)).collect();
    let is_covered = |facet: &&Facet| !texts.iter().any(|text| text.covers(facet));
    let unnamed = built_in.sub_questions.iter().enumerate().filter(|(_, one)| !whole.names(&one.facets));
    let of = unnamed.map(|(at, one)| (at, one.facets.iter().filter(is_covered).cloned().collect()));
    of.filter(|(_, facets): &(usize, Vec<Facet>)| !facets.is_empty()).collect()
}

/// Share of the terms of a sub-question that a draft must hold to name it: a model asks in its own words. Chosen, not measured.
const NAMED_SHARE: f64 = 0.4;

/// A text with its terms.
struct HeldText {
    lower: String,
    terms: BTreeSet<String>,
}

impl HeldText {
    fn new(text: &str) -> Self {
        Self { lower: text.to_lowercase(), terms: terms(text).into_iter().collect() }
    }

    /// Whether it holds all terms of `wanted`; text without terms, such as `C++`, literally.
    fn holds(&self, wanted: &str) -> bool {
        let wanted_terms = terms(wanted);
        match wanted_terms.is_empty() {
            true => self.lower.contains(&wanted.to_lowercase()),
            false => wanted_terms.iter().all(|term| self.terms.contains(term)),
        }
    }

    /// Whether it covers a facet, that is, holds its thing and all its terms.
    fn covers(&self, facet: &Facet) -> bool {
        facet.entity.as_deref().is_none_or(|entity| self.holds(entity))
            && facet.terms.iter().all(|term| self.holds(term))
    }

    /// Whether it names a sub-question with these facets: every thing, and [`NAMED_SHARE`] of the terms.
    fn names(&self, facets: &[Facet]) -> bool {
        let mut entities = facets.iter().filter_map(|facet| facet.entity.as_deref());
        let wanted: BTreeSet<&String> = facets.iter().flat_map(|facet| &facet.terms).collect();
        let is_held = |term: &&&String| self.holds(term) || self.terms.iter().any(|own| likeness(term, own) > 0.0);
        let held = wanted.iter().filter(is_held).count();
        entities.all(|entity| self.holds(entity)) && held as f64 >= NAMED_SHARE * wanted.len() as f64
    }
}

/// The parts in order, each moved after those it rests on; a cycle is broken at its first part.
fn number_parts(parts: Vec<UnplacedQuestion>, language: &str) -> Vec<SubQuestion> {
    let mut order: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..parts.len()).collect();
    while !left.is_empty() {
        let is_free = |at: &usize| parts[*at].after.iter().all(|before| before == at || !left.contains(before));
        let next = left.iter().position(is_free).unwrap_or(0);
        order.push(left.remove(next));
    }
    let mut made: Vec<SubQuestion> = Vec::new();
    for at in &order {
        let part = &parts[*at];
        let id = format!("q{}", made.len() + 1);
        let mut after: Vec<usize> = part.after.iter().filter_map(|of| order.iter().position(|at| at == of)).collect();
        after.retain(|place| *place < made.len());
        after.sort_unstable();
        after.dedup();
        let facets = part_facets(part, &id, &after, &made, language);
        let drafted = part.answered_when.split_whitespace().collect::<Vec<_>>().join(" ");
        made.push(SubQuestion {
            answered_when: if drafted.is_empty() { answered_when(&facets) } else { drafted },
            text: part.text.clone(),
            facets,
            priority: part.priority,
            after: after.iter().map(|place| format!("q{}", place + 1)).collect(),
            origin: SubQuestionOrigin::Plan,
            id,
        });
    }
    made
}

/// The facets of a part: those of the built-in plan, else computed by the same rules.
fn part_facets(part: &UnplacedQuestion, id: &str, after: &[usize], made: &[SubQuestion], language: &str) -> Vec<Facet> {
    if !part.facets.is_empty() {
        let renamed =
            part.facets.iter().enumerate().map(|(n, facet)| Facet { id: format!("{id}.f{}", n + 1), ..facet.clone() });
        return renamed.collect();
    }
    match Relation::from_question(&part.text).filter(|_| after.is_empty()) {
        Some(relation) => vec![Facet {
            id: format!("{id}.f1"),
            terms: vec![relation.word.to_lowercase()],
            entity: Some(relation.anchor),
        }],
        None => {
            let known = after.iter().map(|place| made[*place].text.as_str()).collect::<Vec<_>>().join(" ");
            facets(id, &part.text, &known, language)
        }
    }
}

fn brief(built_in: Brief, draft: &PlanDraft, sub_questions: &[SubQuestion]) -> Brief {
    let joined = |first: &[String], second: &[String]| {
        let mut all: Vec<String> = Vec::new();
        for one in first.iter().chain(second) {
            if !one.trim().is_empty() && !all.contains(one) && all.len() < first.len().max(DRAFT_NOTES) {
                all.push(one.clone());
            }
        }
        all
    };
    Brief {
        restated: if draft.restated.trim().is_empty() { built_in.restated } else { draft.restated.trim().to_owned() },
        kind: draft.kind,
        complexity: complexity(&built_in.question, sub_questions),
        constraints: joined(&built_in.constraints, &draft.constraints),
        assumptions: joined(&draft.assumptions, &built_in.assumptions),
        ..built_in
    }
}

#[cfg(test)]
mod tests;
