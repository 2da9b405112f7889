//! The research options of a request.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{Depth, Fork, Lane, Plan};
use crate::ids::CollectionId;
use crate::label::Label;
use crate::source::{CONTENT_PROOF_CHARS, ContentRef};
use crate::{bounded, bounded_tree};

/// Most corpora in a request.
pub const MAX_CORPORA: usize = 20;
/// Most search providers per lane in a request.
pub const MAX_LANE_PROVIDERS: usize = 12;
/// Most domains that a request may allow, and most that it may deny.
pub const MAX_DOMAINS: usize = 50;
/// Upper bound of the limits on documents, rounds and searches in a request.
pub const MAX_RESEARCH_SOURCES: u32 = 5_000;

/// Upper bound of the limit on further iterations in a request.
pub const MAX_REFINEMENTS: u32 = 2;

/// Most values of a plan in a request: twenty sub-questions with about a hundred terms each have a fifth of that.
pub const MAX_PLAN_VALUES: usize = 20_000;

/// A corpus published to the content store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CorpusRef {
    /// Reference to its manifest.
    pub manifest: ContentRef,
    /// Proof that the tenant of the message uploaded the manifest, as for `content_ref` of a source.
    #[schemars(length(max = CONTENT_PROOF_CHARS))]
    #[serde(default, deserialize_with = "bounded::content_proof", skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
}

/// A collection of documents that the fleet keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CollectionRef {
    /// The collection.
    pub id: CollectionId,
    /// Which version of it: by default the newest one when the request is accepted. Always given in what the fleet writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// What to search in addition to the given sources, and how far. At least one corpus, collection or search provider has to be
/// named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResearchOptions {
    /// Corpora to search; at most [`MAX_CORPORA`].
    #[schemars(length(max = MAX_CORPORA))]
    #[serde(deserialize_with = "corpora", skip_serializing_if = "Vec::is_empty")]
    pub corpus: Vec<CorpusRef>,
    /// Collections to search; at most [`MAX_CORPORA`] together with the corpora. Each must be indexed.
    #[schemars(length(max = MAX_CORPORA))]
    #[serde(deserialize_with = "collections", skip_serializing_if = "Vec::is_empty")]
    pub collections: Vec<CollectionRef>,
    /// Search providers for web pages, in order of preference: the next one is used if one fails. At most [`MAX_LANE_PROVIDERS`].
    #[schemars(length(max = MAX_LANE_PROVIDERS))]
    #[serde(deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<String>,
    /// Search providers for papers, likewise in order of preference.
    #[schemars(length(max = MAX_LANE_PROVIDERS))]
    #[serde(deserialize_with = "names", skip_serializing_if = "Vec::is_empty")]
    pub academic: Vec<String>,
    /// Whether the corpora and texts of the request are public: names found in them may then be sent to search providers. By default they
    /// are private.
    #[serde(skip_serializing_if = "is_false")]
    pub public: bool,
    /// Whether the question is confidential: no search provider is used, and the searches that would have been made are only counted.
    #[serde(skip_serializing_if = "is_false")]
    pub confidential_query: bool,
    /// Depth of the research.
    pub depth: Depth,
    /// Maximum number of found documents to read; by default 10, and 3 more in each further iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5_000))]
    pub max_sources: Option<u32>,
    /// Maximum number of charged searches; by default it depends on the depth. Searches of folders are free.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5_000))]
    pub max_searches: Option<u32>,
    /// Maximum number of rounds, those of further iterations included; by default it depends on the depth, and each iteration adds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 5_000))]
    pub max_rounds: Option<u32>,
    /// Maximum number of further iterations after the report has been evaluated; by default 0, 1 or 2, depending on the depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 2))]
    pub max_refinements: Option<u32>,
    /// Only pages of these domains and their subdomains are read; all if empty. At most [`MAX_DOMAINS`].
    #[schemars(length(max = MAX_DOMAINS))]
    #[serde(deserialize_with = "domains", skip_serializing_if = "Vec::is_empty")]
    pub allow_domains: Vec<String>,
    /// Pages of these domains and their subdomains are never read; at most [`MAX_DOMAINS`].
    #[schemars(length(max = MAX_DOMAINS))]
    #[serde(deserialize_with = "domains", skip_serializing_if = "Vec::is_empty")]
    pub deny_domains: Vec<String>,
    /// Only pages published on or after this day, as `2026-01-31`, as far as a provider knows the date.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// A plan to follow, in the format that `--plan-only` prints; at most [`MAX_PLAN_VALUES`] values, counting lists, objects and their
    /// contents.
    #[serde(deserialize_with = "deserialize_plan", skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// Rounds of an earlier research to continue from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fork: Option<Fork>,
}

impl ResearchOptions {
    /// Returns whether a corpus, a collection or a search provider is named.
    #[must_use]
    pub fn names_something(&self) -> bool {
        !(self.corpus.is_empty() && self.collections.is_empty() && self.web.is_empty() && self.academic.is_empty())
    }

    /// Returns the label of the question.
    #[must_use]
    pub fn question_label(&self) -> Label {
        if self.confidential_query { Label::Private } else { Label::Public }
    }

    /// Returns the label of the texts given by the user: files of corpora, and documents.
    #[must_use]
    pub fn files_label(&self) -> Label {
        if self.public { Label::Public } else { Label::Private }
    }

    /// Returns the label of everything produced in `lane`: it is based on the question and the results of the lane, and on nothing else.
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

fn deserialize_plan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Plan>, D::Error> {
    bounded_tree::tree(deserializer, MAX_PLAN_VALUES)
}

fn corpora<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CorpusRef>, D::Error> {
    bounded::sequence(deserializer, MAX_CORPORA)
}

fn collections<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<CollectionRef>, D::Error> {
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
    fn a_lane_is_public_where_question_and_results_are() {
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
