//! What a request asks of research.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Depth, Fork, Lane, Plan};
use crate::label::Label;
use crate::source::{CONTENT_PROOF_CHARS, ContentRef};
use crate::{bounded, bounded_tree};

/// Most corpora, and most providers of a kind, that a request names.
pub const MAX_CORPORA: usize = 20;
/// Most search providers of a kind that a request names.
pub const MAX_LANE_PROVIDERS: usize = 12;
/// Most domains that a request allows or denies.
pub const MAX_DOMAINS: usize = 50;
/// Most documents that research reads, and most rounds and searches that a request may ask for.
pub const MAX_RESEARCH_SOURCES: u32 = 5_000;

/// Further iterations that a request may ask for.
pub const MAX_REFINEMENTS: u32 = 2;

/// Most values of a plan in a request: twenty sub-questions of some hundred terms each have a fifth of that.
pub const MAX_PLAN_VALUES: usize = 20_000;

/// A corpus that was put into the content store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorpusRef {
    /// Its manifest.
    pub manifest: ContentRef,
    /// That the tenant of the message put it, as for a source's `content_ref`.
    #[schemars(length(max = CONTENT_PROOF_CHARS))]
    #[serde(default, deserialize_with = "bounded::content_proof", skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

/// What is searched beside the sources that are given, and how far. At least one corpus or one provider is named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResearchOptions {
    /// Corpora; at most [`MAX_CORPORA`].
    #[schemars(length(max = MAX_CORPORA))]
    #[serde(deserialize_with = "corpora", skip_serializing_if = "Vec::is_empty")]
    pub corpus: Vec<CorpusRef>,
    /// Search providers for pages, in the order they are asked: the next where one fails. At most [`MAX_LANE_PROVIDERS`].
    #[schemars(length(max = MAX_LANE_PROVIDERS))]
    #[serde(deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<String>,
    /// Search providers for papers, likewise.
    #[schemars(length(max = MAX_LANE_PROVIDERS))]
    #[serde(deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub academic: Vec<String>,
    /// Whether the corpora and the texts that the request gives may be told to search providers: names that stand in them are searched.
    /// Without it they are private.
    #[serde(skip_serializing_if = "is_false")]
    pub public: bool,
    /// Whether the question is private too: no search provider is asked anything, and what would have been searched is counted.
    #[serde(skip_serializing_if = "is_false")]
    pub confidential_query: bool,
    /// How far to go.
    pub depth: Depth,
    /// Documents that are found and read at most; where nothing is said 10, and 3 more in each further iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5_000))]
    pub max_sources: Option<u32>,
    /// Searches at most; by depth and question where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5_000))]
    pub max_searches: Option<u32>,
    /// Rounds at most; by depth where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5_000))]
    pub max_rounds: Option<u32>,
    /// Further iterations at most, after the report was evaluated; by depth where nothing is said: 0, 1 or 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    pub max_refinements: Option<u32>,
    /// Only pages of these domains and below them; all where none is named. At most [`MAX_DOMAINS`].
    #[schemars(length(max = MAX_DOMAINS))]
    #[serde(deserialize_with = "domains", skip_serializing_if = "Vec::is_empty")]
    pub allow_domains: Vec<String>,
    /// No page of these domains and below them; at most [`MAX_DOMAINS`].
    #[schemars(length(max = MAX_DOMAINS))]
    #[serde(deserialize_with = "domains", skip_serializing_if = "Vec::is_empty")]
    pub deny_domains: Vec<String>,
    /// Only pages published since this day, as `2026-01-31`, where a provider can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// A plan to follow, as `--plan-only` prints it; at most [`MAX_PLAN_VALUES`] values, lists, objects and what is in them counted.
    #[serde(deserialize_with = "planned", skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Rounds of an earlier research that this one goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork: Option<Fork>,
}

impl ResearchOptions {
    /// Whether anything is named that can be searched.
    #[must_use]
    pub fn names_something(&self) -> bool {
        !(self.corpus.is_empty() && self.web.is_empty() && self.academic.is_empty())
    }

    /// The label of the question.
    #[must_use]
    pub fn question_label(&self) -> Label {
        if self.confidential_query { Label::Private } else { Label::Public }
    }

    /// The label of the texts that the user gave: files of corpora, and documents.
    #[must_use]
    pub fn files_label(&self) -> Label {
        if self.public { Label::Public } else { Label::Private }
    }

    /// The label of all that is made in `lane`: of the question, of what the lane found, and of nothing else.
    #[must_use]
    pub fn label_of(&self, lane: Lane) -> Label {
        let found = if lane.is_public() { Label::Public } else { self.files_label() };
        self.question_label().join(found)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

fn planned<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Plan>, D::Error> {
    bounded_tree::tree(deserializer, MAX_PLAN_VALUES)
}

fn corpora<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CorpusRef>, D::Error> {
    bounded::sequence(deserializer, MAX_CORPORA)
}

fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    bounded::sequence(deserializer, MAX_LANE_PROVIDERS)
}

fn domains<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    bounded::sequence(deserializer, MAX_DOMAINS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lane_is_public_where_the_question_and_all_that_it_finds_are() {
        use Label::{Private, Public};
        for (public, confidential_query, want) in [
            (false, false, [Private, Public, Public]),
            (true, false, [Public, Public, Public]),
            (false, true, [Private, Private, Private]),
            (true, true, [Private, Private, Private]),
        ] {
            let options = ResearchOptions { public, confidential_query, ..ResearchOptions::default() };
            let found = [Lane::Local, Lane::Web, Lane::Academic].map(|lane| options.label_of(lane));
            assert_eq!(found, want, "{public} {confidential_query}");
        }
        let plain = serde_json::to_value(ResearchOptions::default()).expect("JSON");
        assert!(plain.get("public").is_none() && plain.get("confidential_query").is_none(), "as before: {plain}");
    }

    #[test]
    fn a_plan_has_so_many_values_and_no_more() {
        let assumptions = |count: usize| {
            let brief = json!({
                "question": "q", "restated": "q", "type": "fact", "complexity": "simple", "language": "en",
                "assumptions": vec![""; count], "written_by": "x",
            });
            json!({ "plan": { "brief": brief, "plan": [] } })
        };
        // Plan, brief and its seven fields, and the list of sub-questions.
        let others = 10;
        for (values, fits) in [(MAX_PLAN_VALUES - 1, true), (MAX_PLAN_VALUES, true), (MAX_PLAN_VALUES + 1, false)] {
            let options: Result<ResearchOptions, _> = serde_json::from_value(assumptions(values - others));
            assert_eq!(options.is_ok(), fits, "{values}");
        }
        assert_eq!(serde_json::from_value::<ResearchOptions>(json!({})).ok(), Some(ResearchOptions::default()));
    }
}
