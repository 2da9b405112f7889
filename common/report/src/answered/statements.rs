//! The statements that stand in a report, in the form in which findings are judged.

use precis_proto::claim::{Claim, Done, Verdict};
use precis_proto::response::Citation;
use precis_proto::source::Source;
use precis_proto::task::TaskFinding;
use precis_text::sentences::refers_to_earlier;

use crate::claims::{SettledDraft, doubts};

/// A statement that stands in a report.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingStatement {
    /// Its words in the report.
    pub written: String,
    /// Its words and its place. If its quotes support it, it is read with the sentence of them that it rests on, because a model may use other words,
    /// or with all of them if it refers to what they name.
    pub said: TaskFinding,
    /// Whether its quotes support it.
    pub is_supported: bool,
}

/// The cited statements that stand in a report, in its order. Removed statements, and those that their quotes refute, say nothing.
#[must_use]
pub fn statements(settled: &SettledDraft, sources: &[Source]) -> Vec<StandingStatement> {
    let statement = |(id, claim): (u32, &Claim)| {
        let citations = settled.cited.citations.iter();
        let cited: Vec<&Citation> = citations.filter(|one| claim.quotes.contains(&one.n)).collect();
        let first = cited.first()?;
        let mut numbered = (1_u32..).zip(sources);
        let (number, source) = numbered.find(|(_, source)| source.source_id == first.source_id)?;
        let written = claim.now.as_deref().unwrap_or(&claim.text);
        let mut text = written.to_owned();
        // Not the whole quotes, unless they name what "it" is: a quote of several sentences may answer what the statement does not say.
        if is_supported(claim) && refers_to_earlier(written) {
            cited.iter().for_each(|citation| text.extend([" ", citation.text.as_str()]));
        } else if let Some(rests_on) = claim.rests_on.as_ref().filter(|_| is_supported(claim)) {
            text.extend([" ", rests_on.text.as_str()]);
        }
        let said = TaskFinding {
            id,
            topic: String::new(),
            statement: text,
            title: source.title.clone(),
            source: number,
            score: 1.0,
            headings: first.headings.clone(),
            path: source.path.clone().unwrap_or_default(),
            context: Vec::new(),
            similarity: None,
        };
        Some(StandingStatement { written: written.to_owned(), said, is_supported: is_supported(claim) })
    };
    (1_u32..).zip(settled.claims.iter().filter(|claim| stands(claim))).filter_map(statement).collect()
}

fn stands(claim: &Claim) -> bool {
    match claim.done {
        Done::Removed => false,
        Done::Corrected => true,
        Done::Kept | Done::Marked => claim.verdict != Verdict::NotSupported,
    }
}

/// Whether the text in the report may be read with its quotes: nobody found that they say something else.
fn is_supported(claim: &Claim) -> bool {
    match claim.verdict {
        Verdict::Verbatim | Verdict::Supported | Verdict::Disputed => true,
        Verdict::NotJudged => doubts(&claim.checks).is_empty(),
        Verdict::Partly | Verdict::NotSupported | Verdict::NoClaim => claim.done == Done::Corrected,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use precis_proto::finding::{Finding, Quote};
    use precis_proto::{Locator, SourceId};
    use precis_text::CanonicalText;
    use serde_json::json;

    use super::*;
    use crate::claims::settle;

    const TEXT: &str =
        "The reservoir lies above the town. It can hold 3 million cubic metres of water. The ferry carries 40 cars.";

    /// The statements of a model's report that cites one quote, all of [`TEXT`], as finding 1.
    fn said(draft: &str) -> Vec<(String, bool)> {
        let text = CanonicalText::from_plain(TEXT);
        let source: Source = serde_json::from_value(json!({
            "source_id": "a", "title": "notes", "origin": { "content": text.hash() },
            "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
        }))
        .expect("a source");
        let locator: Locator = format!("char:0-{}", text.chars()).parse().expect("a locator");
        let source_id = SourceId::new("a").expect("an id");
        let quote = Quote {
            source_id,
            locator,
            text: TEXT.to_owned(),
            headings: Vec::new(),
            context: Vec::new(),
            answer: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        };
        let (topic, statement) = (String::new(), TEXT.to_owned());
        let finding =
            Finding { finding_id: 1, topic, statement, quotes: vec![quote], score: 0.5, tokens: 9, similarity: None };
        let settled = settle("What?", draft, &[finding], std::slice::from_ref(&source), &BTreeMap::new(), true);
        statements(&settled, &[source]).into_iter().map(|one| (one.said.statement, one.is_supported)).collect()
    }

    #[test]
    fn a_statement_is_read_with_the_sentence_it_depends_on() {
        let ferry = said("The ferry carries 40 cars. [1]");
        assert!(ferry.len() == 1 && ferry[0].1 && !ferry[0].0.contains("reservoir"), "{ferry:?}");
        let water = said("It can hold 3 million cubic metres of water. [1]");
        assert!(water.len() == 1 && water[0].1 && water[0].0.contains("reservoir"), "{water:?}");
    }

    #[test]
    fn an_unjudged_statement_is_kept_and_read_with_its_quotes() {
        let bananas = said("Bananas grow on tall trees in warm countries. [1]");
        assert!(bananas.len() == 1 && bananas[0].0.starts_with("Bananas"), "{bananas:?}");
        let doubted = said("The ferry carries 57 cars. [1]");
        assert!(doubted.len() == 1 && !doubted[0].1 && !doubted[0].0.contains("40 cars"), "{doubted:?}");
    }
}
