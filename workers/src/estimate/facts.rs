//! What is known of a session before it begins.

use precis_proto::digest::DigestPolicy;
use precis_proto::request::RequestOptions;
use precis_proto::research::ResearchOptions;
use precis_proto::task::Role;
use precis_runtime::config::Settings;

use crate::options::{DigestOptions, account, is_model, writer_budget};

/// What is known of the length of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextCount {
    /// Its tokens.
    Tokens(u64),
    /// It was not read: a page, which is not fetched, or a document for which there was no time.
    Unknown,
    /// It cannot be read, or is gone, so no model reads it.
    Unreadable,
}

/// What is known of a session before it begins.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionFacts {
    /// Tokens of the text of each source; `None` for one that was not read yet.
    pub texts: Vec<Option<u64>>,
    /// Sources that cannot be read.
    pub unreadable: u64,
    /// Target length of the report in tokens, if the request sets one.
    pub report_tokens: Option<u64>,
    /// What is searched and how far; `None` if nothing is.
    pub research: Option<ResearchOptions>,
    /// Whether there is earlier context: background, carried context or a conversation.
    pub has_earlier: bool,
    /// The lowest ceiling in US dollars that holds for the session.
    pub max_usd: Option<f64>,
    /// The same in tokens.
    pub max_tokens: Option<u64>,
}

/// What the writer of the report reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriterGets {
    /// Every text whole: nothing is shortened before, and no call makes findings.
    Whole,
    /// What calls before have made of the texts.
    Reduced,
}

impl SessionFacts {
    /// What is known of a request with `options` and its sources.
    pub fn of(settings: &Settings, options: &RequestOptions, counts: &[TextCount]) -> Self {
        let own = account(settings);
        let is_alone =
            options.project_context.is_empty() && options.prior_context.is_empty() && options.history.is_empty();
        let tokens = |count: &TextCount| match count {
            TextCount::Tokens(tokens) => Some(Some(*tokens)),
            TextCount::Unknown => Some(None),
            TextCount::Unreadable => None,
        };
        let texts: Vec<Option<u64>> = counts.iter().filter_map(tokens).collect();
        Self {
            unreadable: (counts.len() - texts.len()) as u64,
            texts,
            report_tokens: options.report_tokens,
            research: options.research.clone(),
            has_earlier: !is_alone,
            max_usd: [own.max_spend_usd, options.max_spend_usd].into_iter().flatten().reduce(f64::min),
            max_tokens: [own.max_spend_tokens, options.max_spend_tokens].into_iter().flatten().min(),
        }
    }

    /// Sum of the tokens of all texts; `None` if one is not known.
    pub(super) fn tokens(&self) -> Option<u64> {
        self.texts.iter().try_fold(0_u64, |sum, one| Some(sum.saturating_add((*one)?)))
    }

    /// Tokens of the longest text; `None` if one is not known, or documents are found.
    pub(super) fn tokens_of_longest(&self) -> Option<u64> {
        let known = self.texts.iter().try_fold(0, |most: u64, tokens| Some(most.max((*tokens)?)));
        known.filter(|_| self.research.is_none())
    }

    /// Target length of the report, in tokens.
    pub(super) fn target(&self, settings: &Settings) -> u64 {
        self.report_tokens.unwrap_or_else(|| settings.report.target_tokens(is_model(settings, Role::Synthesis)))
    }

    /// What the writer certainly reads. Earlier context takes room that is not counted here, so with any nothing is certain.
    pub(super) fn certainly(&self, settings: &Settings) -> WriterGets {
        if self.has_earlier { WriterGets::Reduced } else { self.probably(settings) }
    }

    /// What the writer reads if earlier context is short.
    pub(super) fn probably(&self, settings: &Settings) -> WriterGets {
        let room = writer_budget(settings);
        let always = DigestOptions::from_settings(settings).policy == DigestPolicy::Always;
        let fits = self.tokens().is_some_and(|tokens| tokens <= room);
        match room > 0 && !always && self.research.is_none() && fits {
            true => WriterGets::Whole,
            false => WriterGets::Reduced,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_source_counts_once() {
        use TextCount::{Tokens, Unknown, Unreadable};
        for (counts, texts, unreadable) in [
            (&[][..], &[][..], 0),
            (&[Tokens(3), Unknown], &[Some(3), None], 0),
            (&[Unreadable, Tokens(3), Unreadable], &[Some(3)], 2),
        ] {
            let facts = SessionFacts::of(&Settings::default(), &RequestOptions::default(), counts);
            assert_eq!((&facts.texts[..], facts.unreadable), (texts, unreadable), "{counts:?}");
        }
    }

    #[test]
    fn texts_up_to_the_room_of_the_writer_are_read_whole() {
        let settings: Settings = serde_json::from_value(
            json!({ "roles": { "synthesis": { "providers": ["a:b"] } }, "writer_evidence_tokens": 5_000 }),
        )
        .expect("settings");
        let of = |texts: &[Option<u64>]| SessionFacts { texts: texts.to_vec(), ..SessionFacts::default() };
        for (texts, want) in [
            (&[Some(4_999)][..], WriterGets::Whole),
            (&[Some(2_000), Some(3_000)], WriterGets::Whole),
            (&[Some(2_000), Some(3_001)], WriterGets::Reduced),
            (&[Some(1), None], WriterGets::Reduced),
        ] {
            assert_eq!(of(texts).certainly(&settings), want, "{texts:?}");
        }
        let follows = SessionFacts { has_earlier: true, ..of(&[Some(1)]) };
        assert_eq!(
            (follows.certainly(&settings), follows.probably(&settings)),
            (WriterGets::Reduced, WriterGets::Whole)
        );
        let searches = SessionFacts { research: Some(ResearchOptions::default()), ..of(&[Some(1)]) };
        assert_eq!(searches.certainly(&settings), WriterGets::Reduced);
        assert_eq!(of(&[Some(1)]).certainly(&Settings::default()), WriterGets::Reduced, "no model writes");
    }
}
