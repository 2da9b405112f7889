//! Joins a model's plan with the built-in one: facets that the model left out are added, so that research with a weak model never
//! searches for less than research without one.

use std::collections::BTreeSet;

use precis_evidence::question::relation::Relation;
use precis_proto::research::{Brief, Facet, SubQuestion, SubQuestionOrigin};
use precis_proto::task::{DRAFT_NOTES, PlanDraft, SUB_QUESTION_BOUND, SubQuestionDraft};
use precis_text::terms::terms;

use super::plan::{Plan, answered_when, complexity, facets};
use super::researcher::normalized;

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

/// The plan of `draft` plus the facets of `built_in` that it lacks: at most [`SUB_QUESTION_BOUND`] sub-questions, numbered from `q1`, each
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
        let own =
            || own.iter().position(|part| built_in.sub_questions[at].facets.iter().all(|f| covers(&part.text, f)));
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
    let sub_questions = numbered(own, &built_in.brief.language);
    Plan { brief: brief(built_in.brief, &draft, &sub_questions), sub_questions }
}

/// The sub-questions of a draft without empty and repeated ones, at most `most`.
fn parts(drafts: &[SubQuestionDraft], most: usize) -> Vec<UnplacedQuestion> {
    let mut parts: Vec<UnplacedQuestion> = Vec::new();
    // The index that each sub-question of the draft received; `None` if it was left out.
    let mut places: Vec<Option<usize>> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for draft in drafts {
        let text = normalized(&draft.text);
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

/// Facets of the built-in plan that no part covers, with the index of their sub-question.
fn missing(built_in: &Plan, parts: &[UnplacedQuestion]) -> Vec<(usize, Vec<Facet>)> {
    let is_covered = |facet: &&Facet| !parts.iter().any(|part| covers(&part.text, facet));
    let of = built_in.sub_questions.iter().map(|one| one.facets.iter().filter(is_covered).cloned().collect());
    of.enumerate().filter(|(_, facets): &(usize, Vec<Facet>)| !facets.is_empty()).collect()
}

/// Whether a sub-question covers a facet, that is, has its thing and all its terms.
fn covers(text: &str, facet: &Facet) -> bool {
    let held: BTreeSet<String> = terms(text).into_iter().collect();
    let lower = text.to_lowercase();
    let is_held = |wanted: &str| {
        let wanted_terms = terms(wanted);
        // Text without terms, such as `C++`, must occur literally.
        match wanted_terms.is_empty() {
            true => lower.contains(&wanted.to_lowercase()),
            false => wanted_terms.iter().all(|term| held.contains(term)),
        }
    };
    facet.entity.as_deref().is_none_or(is_held) && facet.terms.iter().all(|term| is_held(term))
}

/// The parts in order, each moved after those it rests on; a cycle is broken at its first part.
fn numbered(parts: Vec<UnplacedQuestion>, language: &str) -> Vec<SubQuestion> {
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
    match Relation::asked(&part.text).filter(|_| after.is_empty()) {
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
