//! What is asked. Each session has texts of its own, so that no two sessions share a model call; the same number is always the
//! same request, whatever the seed.

use precis_proto::request::{RequestOptions, RequestSource, ResearchRequest};
use precis_proto::source::Quality;
use precis_proto::{SessionId, SourceId};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Documents of a session.
pub const DOCUMENTS: usize = 5;
/// Sentences of a document.
const SENTENCES: usize = 14;

const REGIONS: [&str; 8] = ["Alba", "Borea", "Corsa", "Delvin", "Estra", "Fenmark", "Galdor", "Hestia"];
const THINGS: [&str; 8] =
    ["harvest", "rainfall", "rail traffic", "steel output", "rent", "river level", "tax yield", "fleet"];
const VERBS: [&str; 6] = ["rose by", "fell by", "recovered by", "shrank by", "grew by", "slipped by"];
const CAUSES: [&str; 6] = [
    "because of a long drought",
    "after the new treaty",
    "although prices were stable",
    "since the bridge was closed",
    "as the ministry had expected",
    "which nobody had foreseen",
];

/// The name of session `number`.
#[must_use]
pub fn name(number: usize) -> String {
    format!("session-{number}")
}

/// The request of session `number`.
///
/// # Panics
/// Never: its ids are well formed.
#[must_use]
pub fn request(number: usize) -> ResearchRequest {
    let mut dice = StdRng::seed_from_u64(number as u64);
    let sources = (0..DOCUMENTS).map(|document| RequestSource {
        source_id: SourceId::new(format!("{}-d{document}", name(number))).expect("an id"),
        title: format!("Report {document} of {number}"),
        url: None,
        pdf_url: None,
        snippet: None,
        content: Some(text(&mut dice, number, document)),
        content_base64: None,
        content_ref: None,
        content_proof: None,
        content_type: Some("text/plain".to_owned()),
        quality: Quality::default(),
        published_at: None,
        protected: false,
    });
    ResearchRequest {
        schema_version: 2,
        session_id: SessionId::new(name(number)).expect("an id"),
        query: format!("What changed in {} and why?", pick(&mut StdRng::seed_from_u64(number as u64), &REGIONS)),
        sources: sources.collect(),
        options: RequestOptions::default(),
    }
}

/// The same with only the first of its documents.
#[must_use]
pub fn small(number: usize) -> ResearchRequest {
    let mut request = request(number);
    request.sources.truncate(1);
    request
}

fn text(dice: &mut StdRng, number: usize, document: usize) -> String {
    let mut text = format!("This is report {document} of survey {number}.");
    for _ in 0..SENTENCES {
        text.push_str(&sentence(dice));
    }
    text
}

/// What changed where, when and why, after a space.
pub(super) fn sentence(dice: &mut StdRng) -> String {
    let (region, thing, verb, cause) =
        (pick(dice, &REGIONS), pick(dice, &THINGS), pick(dice, &VERBS), pick(dice, &CAUSES));
    let (percent, year) = (dice.random_range(1..60), dice.random_range(1950..2024));
    format!(" In {year} the {thing} of {region} {verb} {percent} percent {cause}.")
}

fn pick<'a>(dice: &mut StdRng, of: &[&'a str]) -> &'a str {
    of[dice.random_range(0..of.len())]
}
