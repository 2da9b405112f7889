//! Settles a course into an investigation: the documents to read, the outcome of each hit, and the unanswered sub-questions.

use std::collections::{BTreeMap, BTreeSet};

use precis_evidence::question::entity::{Entity, entities, identifiers, is_thing, key};
use precis_proto::CharRange;
use precis_proto::request::MAX_SNIPPET_CHARS;
use precis_proto::research::{Answered, Decision, HitCounts, Nearest, Stop, Unanswered};
use precis_text::terms::query_terms;

use super::budget::{Budget, Grant, Resource};
use super::course::ResearchCourse;
use super::coverage::facets_by_document;
use super::evidence::pointers;
use super::investigation::{ChosenDocument, Investigation};

/// Least worth of a document that is read, even if the budget has room for more; chosen, not measured.
const CUT: f64 = 0.15;
/// Bonus for a document that is itself what the question names or a relation leads to (by its identifier), or that is about a thing the
/// question names (by its title).
const OWN: f64 = 1.0;
const ABOUT: f64 = 0.5;

/// The documents of a course to read.
struct Choice {
    chosen: Vec<ChosenDocument>,
    /// Held documents, which are read in any case.
    found_again: Vec<ChosenDocument>,
    hits: HitCounts,
    /// The budget that is left.
    budget: Budget,
}

/// A document with the worth of its best passage, its passages and the first of them.
struct RankedDocument<'p> {
    document: &'p str,
    worth: f64,
    places: Vec<usize>,
    first: usize,
}

/// The documents that a researcher read, then the others, each by the worth of their best passage, best first; a document that only repeats
/// others has worth 0.
fn rank_documents<'p>(course: &'p ResearchCourse) -> Vec<RankedDocument<'p>> {
    let question = &course.question();
    let language = course.plan.brief.language.as_str();
    let mut named: Vec<String> = identifiers(question).iter().map(|one| key(one)).collect();
    named.extend(entities(question).iter().filter(|entity| is_thing(entity, language)).map(Entity::key));
    let led = course.known.iter().flat_map(|known| &known.statements).map(|(_, statement)| key(&statement.other));
    let led: BTreeSet<String> = led.collect();
    let mut by_document: BTreeMap<&str, RankedDocument<'p>> = BTreeMap::new();
    for (place, passage) in course.pool.all().iter().enumerate() {
        let document = passage.hit.document.as_str();
        let ranked = by_document.entry(document).or_insert(RankedDocument {
            document,
            worth: 0.0,
            places: Vec::new(),
            first: place,
        });
        ranked.places.push(place);
        if passage.witness.is_none() {
            // A document that the question names or a stated relation leads to is read before any that only mentions it.
            let own = course.pool.own(document).map(key);
            let is_own = own.as_ref().is_some_and(|own| named.contains(own) || led.contains(own));
            let is_about = passage.about.iter().any(|about| named.contains(about));
            let more = if is_own {
                OWN
            } else if is_about {
                ABOUT
            } else {
                0.0
            };
            ranked.worth = ranked.worth.max(passage.worth + more);
        }
    }
    let mut all: Vec<RankedDocument<'p>> = by_document.into_values().collect();
    // What a researcher has read is read for the report, in the first place.
    let is_opened = |ranked: &RankedDocument<'_>| course.opened.contains(ranked.document);
    all.sort_by(|a, b| is_opened(b).cmp(&is_opened(a)).then(b.worth.total_cmp(&a.worth)).then(a.first.cmp(&b.first)));
    all
}

impl ResearchCourse {
    /// Ends the course with `stop` and returns its result.
    #[must_use]
    pub fn settle(self, stop: Stop) -> Investigation {
        self.settle_holding(stop, &BTreeSet::new())
    }

    /// As [`ResearchCourse::settle`], for a session that already holds documents, given by path or address: they are read in any case and
    /// take from the budget first.
    #[must_use]
    pub fn settle_holding(self, stop: Stop, held: &BTreeSet<String>) -> Investigation {
        let mut course = self;
        // The last round had planned another one that will not come.
        if let Some(round) = course.rounds.last_mut().filter(|round| round.decision == Decision::Delegate) {
            round.decision = Decision::Stop;
        }
        let Choice { chosen, found_again, hits, budget } = choose(&course, held);
        course.budget = budget;
        let unanswered = unanswered_questions(&course, &chosen);
        name_facets(&mut course);
        Investigation {
            chosen,
            found_again,
            hits,
            coverage: course.known.iter().map(|known| known.coverage.clone()).collect(),
            pointers: pointers(&course),
            disagreements: Vec::new(),
            unanswered,
            unknown_words: course.unknown_words,
            rarity: course.rarity,
            budget: course.budget.record(),
            stop,
            plan: course.plan,
            rounds: course.rounds,
        }
    }
}

/// Chooses the documents to read, held ones first, and counts the fate of each hit.
fn choose(course: &ResearchCourse, held: &BTreeSet<String>) -> Choice {
    let mut hits = HitCounts { found: course.found, ..HitCounts::default() };
    let (mut chosen, mut found_again) = (Vec::new(), Vec::new());
    let mut budget = course.budget.clone();
    let is_held = |ranked: &RankedDocument<'_>| {
        let best = &course.pool.get(ranked.first).hit;
        held.contains(best.address.as_ref().unwrap_or(&best.document))
    };
    let (known, others): (Vec<_>, Vec<_>) = rank_documents(course).into_iter().partition(|ranked| is_held(ranked));
    for ranked in known.into_iter().chain(others) {
        let passages = ranked.places.iter().map(|place| &course.pool.all()[*place]);
        let fresh = passages.clone().filter(|passage| passage.witness.is_none()).count() as u32;
        let all: u32 = passages.clone().map(|passage| passage.hits).sum();
        hits.duplicate += all - fresh;
        if course.held.hold(&course.pool.get(ranked.first).hit) {
            // A held document is read in any case and takes no budget. Hits of kept searches count as read: they led to the reading.
            let is_kept = |place: &&usize| {
                let passage = &course.pool.all()[**place];
                passage.witness.is_none() && passage.found_by.first().is_some_and(|at| *at < course.kept_searches)
            };
            let kept = ranked.places.iter().filter(is_kept).count() as u32;
            hits.read += kept;
            hits.duplicate += fresh - kept;
            let again = course.chosen_document(&ranked, fresh);
            found_again.push(ChosenDocument { found_by: course.recorded_searches(&ranked), ..again });
            continue;
        }
        if ranked.worth < CUT && !is_held(&ranked) {
            hits.below_cut += fresh;
            continue;
        }
        if budget.take(Resource::Source, 1) == Grant::Spent {
            hits.over_budget += fresh;
            continue;
        }
        hits.read += fresh;
        chosen.push(course.chosen_document(&ranked, fresh));
    }
    Choice { chosen, found_again, hits, budget }
}

impl ResearchCourse {
    /// The searches recorded for a document that the session held. In a public lane only kept searches count: a text given under an address
    /// need not be the page found there, while a kept search did cause its fetch.
    fn recorded_searches(&self, ranked: &RankedDocument<'_>) -> Vec<String> {
        let passages = ranked.places.iter().map(|place| &self.pool.all()[*place]);
        let queries: BTreeSet<usize> = passages.flat_map(|passage| passage.found_by.iter().copied()).collect();
        let is_recorded = |query: &usize| !self.lane.is_public() || *query < self.kept_searches;
        queries.into_iter().filter(is_recorded).map(|query| self.asked[query].text.clone()).collect()
    }

    /// A document with the searches that found it; `hits` is the number of its passages that repeat no other.
    fn chosen_document(&self, ranked: &RankedDocument<'_>, hits: u32) -> ChosenDocument {
        let passages = ranked.places.iter().map(|place| &self.pool.all()[*place]);
        let queries: BTreeSet<usize> = passages.clone().flat_map(|passage| passage.found_by.iter().copied()).collect();
        let best = &self.pool.get(ranked.first).hit;
        let mut ranges: Vec<CharRange> = passages.map(|passage| passage.hit.range).collect();
        ranges.sort_unstable();
        ChosenDocument {
            document: ranked.document.to_owned(),
            address: best.address.clone(),
            number: self.pool.given_number(ranked.document),
            is_opened: self.opened.contains(ranked.document),
            title: best.title.clone(),
            published: best.published.clone(),
            snippet: best.source_text_hash.is_empty().then(|| best.text.chars().take(MAX_SNIPPET_CHARS).collect()),
            source_text_hash: best.source_text_hash.clone(),
            found_by: queries.into_iter().map(|query| self.asked[query].text.clone()).collect(),
            passages: ranges,
            hits,
        }
    }
}

/// Writes the facets that each document covers into the inventories.
fn name_facets(course: &mut ResearchCourse) {
    let covers = facets_by_document(&course.known, &course.pool);
    let directives = course.rounds.iter_mut().flat_map(|round| &mut round.directives);
    for line in directives.flat_map(|directive| &mut directive.inventory.lines) {
        let facets = covers.get(line.r#where.as_str()).into_iter().flatten();
        line.covers = facets.map(|facet| (*facet).to_owned()).collect();
    }
}

/// The sub-questions without any coverage, with the searches that were tried.
fn unanswered_questions(course: &ResearchCourse, chosen: &[ChosenDocument]) -> Vec<Unanswered> {
    let open = course.known.iter().enumerate().filter(|(_, known)| known.coverage.answered == Answered::No);
    open.map(|(at, _)| {
        let sought = &course.sought[at];
        let tried = course.asked.iter().filter(|asked| asked.sought.contains(&at)).map(|asked| asked.id.clone());
        Unanswered {
            sub_question: sought.sub_question.id.clone(),
            looked_for: sought.sub_question.answered_when.clone(),
            tried: tried.collect(),
            nearest: nearest(course, at, chosen),
            suggest: suggestion(course, at).to_owned(),
        }
    })
    .collect()
}

fn suggestion(course: &ResearchCourse, at: usize) -> &'static str {
    if course.failed_searches == course.asked.len() {
        "submit the request again when the search works"
    } else if course.sought[at].relation.is_some() {
        "no document found states this relation; add a folder or a web provider that may"
    } else if !course.sought[at].after.is_empty() {
        "it depends on another sub-question that has no answer"
    } else {
        "add another folder or a web provider"
    }
}

fn nearest(course: &ResearchCourse, at: usize, chosen: &[ChosenDocument]) -> Option<Nearest> {
    let wanted = query_terms(&course.sought[at].sub_question.text);
    let scored = course.pool.witnesses().map(|(place, passage)| {
        (course.weights.share(&wanted, &[&passage.held]) + passage.worth / 10.0, std::cmp::Reverse(place), passage)
    });
    let (_, _, passage) = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))?;
    let source = (1..).zip(chosen).find(|(_, chosen)| chosen.document == passage.hit.document);
    Some(Nearest {
        document: passage.hit.document.clone(),
        source: source.map(|(n, _)| n),
        range: passage.hit.range,
        lacks: course.weights.lacking(&wanted, &passage.held),
    })
}
