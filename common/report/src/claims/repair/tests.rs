//! Tests of what is given back to a writer, and what becomes of the answer.

use precis_proto::finding::Finding;
use precis_proto::source::Source;
use precis_proto::{CharRange, Locator, SourceId};
use precis_text::CanonicalText;

use super::super::{UnsettledDraft, settle_with};
use super::*;
use crate::draft::citations::cite;

const TEXT: &str = "The glacier of Brem lost a third of its ice in ten years. The winter was mild.";
const OPENING: &str = "The ice grew strongly. [1]";
const DETAIL: &str = "## More\n\nThe frost was hard in that winter. It also snowed in the valley. [1]";

struct World {
    finding: Finding,
    source: Source,
    texts: SourceTexts,
}

impl World {
    fn new() -> Self {
        let text = CanonicalText::from_plain(TEXT);
        let source: Source = serde_json::from_value(serde_json::json!({
            "source_id": "a", "title": "Survey", "origin": { "content": text.hash() },
            "text": { "content": text.hash(), "chars": text.chars(), "tokens": 1, "pages": 0 },
        }))
        .expect("a source");
        let source_id = SourceId::new("a").expect("an id");
        let locator = Locator { page: None, range: CharRange::new(0, text.chars()) };
        let quote = Quote::new(source_id.clone(), locator, TEXT.to_owned(), Vec::new());
        let (topic, statement) = (String::new(), String::new());
        let finding =
            Finding { finding_id: 1, topic, statement, quotes: vec![quote], score: 0.5, tokens: 9, similarity: None };
        Self { finding, source, texts: SourceTexts::from([(source_id, text)]) }
    }

    fn pieces(&self) -> CitablePieces<'_> {
        CitablePieces {
            findings: std::slice::from_ref(&self.finding),
            sources: std::slice::from_ref(&self.source),
            texts: &self.texts,
        }
    }

    fn settle(&self, draft: &str, failing: &[usize]) -> SettledDraft {
        let judged = failing.iter().map(|n| (*n, opinion(Verdict::NotSupported))).collect();
        self.settled_by(draft, &Opinions { judged, ..Opinions::default() })
    }

    fn settled_by(&self, draft: &str, opinions: &Opinions) -> SettledDraft {
        let pieces = self.pieces();
        let cited = cite(draft, pieces.findings, pieces.sources);
        settle_with(opinions, &UnsettledDraft { query: "What?", draft, cited: &cited, pieces, edits: true })
    }
}

fn opinion(verdict: Verdict) -> Opinion {
    let source_id = SourceId::new("a").expect("an id");
    let locator = Locator { page: None, range: CharRange::new(20, 32) };
    Opinion {
        verdict,
        reason: "It says lost.".to_owned(),
        rests_on: Some(Quote::new(source_id, locator, "lost a third".to_owned(), Vec::new())),
    }
}

fn new_text(statement: u32, text: &str) -> Replacement {
    Replacement { statement, text: text.to_owned() }
}

#[test]
fn only_failed_statements_are_returned_with_their_reason() {
    let world = World::new();
    let draft = format!("{OPENING}\n\nThe ice went. [1]");
    assert_eq!(repair_request("What?", &world.settle(&draft, &[]), &world.pieces()), None);
    let request = repair_request("What?", &world.settle(&draft, &[0]), &world.pieces()).expect("a request");
    let [one] = &request.task.statements[..] else { panic!("{:?}", request.task.statements) };
    assert_eq!((one.text.as_str(), one.reason.as_str()), ("The ice grew strongly.", "It says lost."));
    assert_eq!((&one.cites[..], request.task.evidence.passages.len()), (&[1][..], 1));
}

#[test]
fn a_paragraph_is_returned_whole_to_keep_its_references() {
    let world = World::new();
    for (draft, failing, given) in [
        ("The frost was hard. [1] It also snowed. [1] Roads were shut. [1]", 0, 3),
        ("The frost was hard. [1] However, roads were open. [1]", 0, 2),
        ("The frost was hard. [1] Roads were open. [1]", 0, 1),
        ("The frost was hard. [1] It also snowed. [1]", 1, 1),
        ("The frost was hard. [1]\n\nIt also snowed. [1]", 0, 1),
    ] {
        let request = repair_request("", &world.settle(draft, &[failing]), &world.pieces()).expect("a request");
        assert_eq!(request.task.statements.len(), given, "{draft}");
    }
}

#[test]
fn a_supported_new_text_is_kept_and_failing_ones_are_removed() {
    let world = World::new();
    let draft = format!("{OPENING}\n\n{DETAIL}");
    let settled = world.settle(&draft, &[1]);
    let request = repair_request("", &settled, &world.pieces()).expect("a request");
    for (text, judged, want) in [
        ("The winter was mild. [1]", None, "The winter was mild. [1]"),
        ("It was a mild winter. [1]", Some(Verdict::Supported), "It was a mild winter. [1]"),
        ("It was a mild winter.", Some(Verdict::NoClaim), "It was a mild winter. [1]"),
        ("It was mild. [1]", Some(Verdict::Partly), "It was mild. (supported in part by its quotes) [1]"),
        ("It was mild. [7]", None, "It was mild. (†) [1]"),
        ("It was hard. [1]", Some(Verdict::NotSupported), ""),
        ("", None, ""),
    ] {
        let repaired = request.apply_replacements(&[new_text(1, text)], &settled, &world.pieces());
        let again = repaired.open.iter().filter_map(|one| Some((one.claim, opinion(judged?)))).collect();
        let fates = request.fates(&settled, &repaired, &again, &world.pieces());
        let judged = BTreeMap::from([(1, opinion(Verdict::NotSupported))]);
        let found = world.settled_by(&draft, &Opinions { judged, fates });
        let want = if want.is_empty() { String::new() } else { format!("\n\n## More\n\n{want}") };
        let opening = OPENING.trim_end_matches(" [1]");
        assert_eq!(found.cited.markdown, format!("{opening} (†) [1]{want}"), "{text}");
    }
}

#[test]
fn the_opening_is_never_just_dropped() {
    let world = World::new();
    let settled = world.settle(OPENING, &[0]);
    let request = repair_request("", &settled, &world.pieces()).expect("a request");
    let repaired = request.apply_replacements(&[], &settled, &world.pieces());
    let fates = request.fates(&settled, &repaired, &BTreeMap::new(), &world.pieces());
    let judged = BTreeMap::from([(0, opinion(Verdict::NotSupported))]);
    let found = world.settled_by(OPENING, &Opinions { judged, fates });
    assert_eq!(found.cited.markdown, "The glacier of Brem lost a third of its ice in ten years. [1]");
    assert_eq!(found.claims[0].now_verdict, Some(Verdict::Verbatim));
}
