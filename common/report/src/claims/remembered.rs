//! Verdicts that outlive the call they came in: kept by the statement and the passages it was judged by, so that a statement that stands in
//! a later draft, beside other statements, is not paid for again.

use std::collections::BTreeSet;

use precis_proto::ids::sha256_hex;
use precis_proto::task::StatementVerdict;

use super::open_statements::{CitablePieces, OpenStatement};
use super::opinion::{Opinion, opinion};

/// Version of the key; to be raised when what a judge is shown or asked changes.
const VERSION: &str = "2";

impl OpenStatement {
    /// What the verdict on this statement depends on, besides who judges: its words, its doubts, and the titles, texts and places of its
    /// passages. 64 hex digits; `None` if none of its passages is loaded: it is then judged by those of others.
    ///
    /// Passages next to these, and those of other statements of a call, do not count: a verdict that rests on them is not
    /// [recalled](Self::recall) where they are not shown.
    #[must_use]
    pub fn verdict_key(&self, pieces: &CitablePieces<'_>) -> Option<String> {
        let ids: BTreeSet<u32> = self.ids.iter().copied().collect();
        let (_, places) = pieces.show(&ids);
        let mut parts = vec![VERSION.to_owned(), self.text.clone(), self.cites.to_string(), self.doubts.join("\u{1f}")];
        parts.push(self.under.join("\u{1f}"));
        for place in places.iter().filter(|place| ids.contains(&place.id)) {
            let source = pieces.sources.iter().find(|source| source.source_id == place.source_id);
            let (title, text) = (source?.title.clone(), pieces.texts.get(&place.source_id)?.hash().to_string());
            parts.extend([title, text, format!("{}-{}", place.range.start, place.range.end)]);
        }
        (parts.len() > 5).then(|| sha256_hex(parts.join("\u{1e}").as_bytes()))
    }

    /// The opinion in an earlier `verdict` on this statement, if the words it rests on stand in what is shown with it.
    #[must_use]
    pub fn recall(&self, verdict: &StatementVerdict, pieces: &CitablePieces<'_>) -> Option<Opinion> {
        let (_, places) = pieces.show(&self.ids.iter().copied().collect());
        opinion(verdict, &places, pieces.texts)
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::claim::Verdict;

    use super::super::batch::tests::{World, open};
    use super::*;

    #[test]
    fn a_verdict_is_kept_for_one_statement_with_its_doubts_and_passages() {
        let world = World::new();
        let first = open(0, 2);
        let key = first.verdict_key(&world.pieces());
        assert!(key.as_ref().is_some_and(|key| key.len() == 64), "{key:?}");
        let elsewhere = OpenStatement { claim: 9, ..first.clone() };
        assert_eq!(elsewhere.verdict_key(&world.pieces()), key, "wherever it stands in a report");
        let others = [
            OpenStatement { text: "Statement 0 of the reports.".to_owned(), ..first.clone() },
            OpenStatement { ids: vec![3], ..first.clone() },
            OpenStatement { ids: vec![2, 4], ..first.clone() },
            OpenStatement { cites: false, ..first.clone() },
            OpenStatement { under: vec!["Row".to_owned()], ..first.clone() },
            OpenStatement { doubts: Vec::new(), ..first.clone() },
        ];
        for other in others {
            assert_ne!(other.verdict_key(&world.pieces()), key, "{other:?}");
        }
        let mut titled = World::new();
        titled.sources[0].title = "Another survey".to_owned();
        assert_ne!(first.verdict_key(&titled.pieces()), key);
        for ids in [Vec::new(), vec![77]] {
            assert_eq!(OpenStatement { ids, ..first.clone() }.verdict_key(&world.pieces()), None);
        }
    }

    #[test]
    fn a_verdict_is_recalled_only_where_its_words_are_shown() {
        let world = World::new();
        let said = |quote: &str| StatementVerdict {
            statement: 5,
            verdict: Verdict::Supported,
            quote: quote.to_owned(),
            reason: String::new(),
        };
        let own = open(0, 2).recall(&said("made by 14 people"), &world.pieces());
        assert_eq!(own.map(|opinion| opinion.verdict), Some(Verdict::Supported));
        assert!(open(0, 4).recall(&said("made by 14 people"), &world.pieces()).is_none(), "of another passage");
        let forged = StatementVerdict { verdict: Verdict::Verbatim, ..said("made by 14 people") };
        assert!(open(0, 2).recall(&forged, &world.pieces()).is_none(), "no verdict that a judge may give");
    }
}
