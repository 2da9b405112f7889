use precis_evidence::meaning::Vector;
use precis_proto::finding::Unit;
use precis_proto::quote_context::{ContextRange, ContextRole};
use precis_proto::task::{FindingDraft, FindingDrafts};
use precis_proto::{BlockKind, CharRange, Locator};
use precis_text::Leaf;
use precis_text::heading_paths::headings_above;

use super::quoted::headings_at;
use super::*;

fn passage(source: &str, start: usize, text: &str) -> Passage {
    let range = CharRange::new(start, start + text.chars().count());
    let source_id = SourceId::new(source).expect("an id");
    Passage {
        source_id,
        range,
        locator: Locator { page: Some(2), range },
        text: text.to_owned(),
        score: 0.4,
        units: units(text),
        headings: Vec::new(),
        columns: String::new(),
        context: Vec::new(),
    }
}

fn units(text: &str) -> Vec<Unit> {
    let unit = |range: CharRange| Unit {
        start: range.start,
        end: range.end,
        block: 0,
        kind: BlockKind::Paragraph,
        head_end: None,
        depth: None,
        needs: Vec::new(),
        list: Vec::new(),
        more_items: 0,
        place: None,
        recognized: None,
    };
    precis_text::sentences::of_block(text).into_iter().map(unit).collect()
}

#[test]
fn a_quote_names_the_headings_above_it_for_any_chunks() {
    let mut seed = 7_u64;
    let mut dice = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut below = 0;
    for _ in 0..200 {
        let leaves: Vec<Leaf> = (0..4 + dice(30))
            .map(|n| match dice(3) {
                0 => {
                    let words = format!("Part {n} {}", "of it ".repeat(dice(90)));
                    Leaf { level: Some(1 + dice(4) as u8), ..Leaf::new(BlockKind::Heading, words.trim()) }
                }
                _ => {
                    Leaf::new(BlockKind::Paragraph, format!("One is {n}. {}", "Two is here. ".repeat(dice(50))).trim())
                }
            })
            .collect();
        let text = CanonicalText::from_leaves(&leaves);
        let id = SourceId::new("s").expect("an id");
        let ranked = precis_evidence::ranking::rank_widely(&text, "One Two Part", Ranker::Bm25, 400, usize::MAX);
        let ranked_ones = passages(&id, &text, &ranked);
        for passage in ranked_ones.iter().chain(&cover(&id, &text, 400, &ranked)) {
            for unit in &passage.units {
                let want = headings_above(&text, passage.range.start + unit.start);
                assert_eq!(headings_at(passage, unit.start), want, "{}", passage.text);
                below += want.len();
            }
        }
    }
    assert!(below > 1_000, "{below}");
}

#[test]
fn what_the_gate_cut_is_taken_off_what_was_read() {
    let sent = [passage("a", 0, "one two three"), passage("b", 0, "four five"), passage("a", 20, "six")];
    let held = vec![(sent[0].source_id.clone(), 3), (sent[1].source_id.clone(), 1)];
    let before = read(held, &sent, &words);
    // A number without a passage, a passage cut, and one left out.
    let after = read_after_cuts(before, &sent, [(0, 9, 0), (9, 9, 0), (1, 5, 3), (2, 4, 0)].into_iter());
    let of = |n: usize| (after[n].passages, after[n].passages_cut, after[n].tokens, after[n].passages_held);
    assert_eq!((of(0), of(1)), ((2, 1, 2, 3), (0, 0, 0, 1)));
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

#[test]
fn a_source_gives_what_speaks_to_the_question_or_else_its_opening() {
    let pages = ["Preface to it all", "Granite cools slowly", "Whales eat krill"].map(str::to_owned);
    let (text, id) = (CanonicalText::from_pages(&pages), SourceId::new("s").expect("an id"));
    let pages = |passages: Vec<Passage>| -> Vec<Option<u32>> { passages.iter().map(|p| p.locator.page).collect() };
    assert_eq!(pages(of_text(&id, &text, ("granite", ""), (Ranker::Overlap, None), 400)), [Some(2), Some(1), Some(3)]);
    assert!(of_text(&id, &text, ("volcanoes", ""), (Ranker::Overlap, None), 400).is_empty());
    assert_eq!(pages(opening(&id, &text, 400)), [Some(1), Some(2), Some(3)]);
}

#[test]
fn a_batch_requests_enough_findings_for_one_source_to_fill_reports() {
    assert_eq!([0, 1, 4, 5, 8, 15, 16, 17].map(most_findings), [18, 18, 18, 20, 32, 60, 64, 64]);
}

#[test]
fn a_draft_of_only_half_sentences_is_left_out() {
    let cut = Passage { units: Vec::new(), ..passage("a", 0, "The dose may be") };
    let draft = |passages: Vec<u32>| FindingDraft {
        statement: "The dose may be doubled.".to_owned(),
        passages,
        span: None,
        score: 0.5,
        answer: Vec::new(),
        is_list: false,
        similarity: None,
    };
    let drafts = FindingDrafts { findings: vec![draft(vec![1]), draft(vec![1, 2])] };
    let found = findings(&drafts, &[cut, passage("a", 90, "The dose is two.")], &words);
    let quotes: Vec<&str> = found.iter().flat_map(|f| &f.quotes).map(|quote| quote.text.as_str()).collect();
    assert_eq!(quotes, ["The dose is two."]);
}

#[test]
fn passages_chosen_by_position_are_no_evidence() {
    let (mut found, unmatched) = (passage("a", 0, "found"), passage("a", 9, "by position"));
    found.score = 0.1;
    let reduction =
        Reduction { passages: vec![Passage { score: 0.0, ..unmatched }, found.clone()], ..Reduction::default() };
    assert_eq!(of_reduction(&reduction), [found]);
}

#[test]
fn sources_take_turns_within_the_budget() {
    let a = vec![passage("a", 0, "one two"), passage("a", 9, "three four")];
    let b = vec![passage("b", 0, "five six"), passage("b", 9, "seven")];
    for (budget, expected) in [
        (0, vec![]),
        (3, vec!["one two", "seven"]),
        (4, vec!["one two", "five six"]),
        (9, vec!["one two", "five six", "three four", "seven"]),
    ] {
        let texts: Vec<String> =
            select(vec![a.clone(), b.clone()], budget, &words).into_iter().map(|p| p.text).collect();
        assert_eq!(texts, expected, "{budget}");
    }
}

#[test]
fn a_language_model_gets_everything_in_order_or_the_best() {
    let mut b = vec![passage("b", 0, "five six"), passage("b", 9, "seven")];
    b[0].score = 0.1;
    let a = vec![passage("a", 0, "one two"), passage("a", 9, "three four")];
    for (budget, expected) in [
        (7, vec!["one two", "three four", "five six", "seven"]),
        (6, vec!["one two", "three four", "seven"]),
        (3, vec!["one two", "seven"]),
    ] {
        let selected = select_whole(vec![a.clone(), b.clone()], budget, &words);
        assert_eq!(selected.iter().map(|p| p.text.as_str()).collect::<Vec<_>>(), expected, "{budget}");
    }
}

#[test]
fn a_span_becomes_a_quote_at_its_own_place() {
    let passages = [passage("a", 100, "Éins. Zwei drei. Vier.")];
    let draft = |span, ids: Vec<u32>| FindingDraft {
        statement: "Zwei drei.".to_owned(),
        passages: ids,
        span,
        score: 0.0,
        answer: Vec::new(),
        is_list: false,
        similarity: None,
    };
    let made = |span, ids| findings(&FindingDrafts { findings: vec![draft(span, ids)] }, &passages, &words);
    let finding = &made(Some(CharRange::new(6, 16)), vec![1])[0];
    assert_eq!(finding.quotes[0].text, "Zwei drei.");
    assert_eq!(finding.quotes[0].locator.to_string(), "page:2:char:106-116");
    assert!((finding.score - 0.4).abs() < 1e-9);
    assert_eq!(
        made(None, vec![1])[0].quotes[0].locator.to_string(),
        "page:2:char:106-116",
        "the sentence it stands on"
    );
    assert!(made(Some(CharRange::new(6, 99)), vec![1]).is_empty());
    assert!(made(None, vec![0, 2]).is_empty());
    let halves = [Passage { units: Vec::new(), ..passages[0].clone() }];
    let held = FindingDrafts { findings: vec![draft(None, vec![1])] };
    assert!(findings(&held, &halves, &words).is_empty(), "half sentences are quoted by nobody");
}

#[test]
fn a_list_has_each_item_once_for_any_main_sentence() {
    let mut item = passage("a", 100, "Éins. Zwei drei. Vier.");
    let other = |start: usize, text: &str| ContextRange {
        role: ContextRole::Item,
        locator: Locator { page: Some(2), range: CharRange::new(start, start + text.len()) },
        text: text.to_owned(),
        at: None,
    };
    item.context = vec![other(80, "Before."), other(130, "After.")];
    item.units.iter_mut().for_each(|unit| unit.list = vec![0, 1]);
    let draft =
        FindingDraft { passages: vec![1], span: Some(CharRange::new(0, 22)), is_list: true, ..Default::default() };
    let found = findings(&FindingDrafts { findings: vec![draft] }, &[item], &words);
    let said: Vec<&str> = found[0].quotes[0].context.iter().map(|range| range.text.as_str()).collect();
    assert_eq!(said, ["Before.", "After."]);
    assert_eq!(found[0].statement, "Before. Éins. Zwei drei. Vier. After.");
}

#[test]
fn the_abstract_of_a_document_is_read_whatever_it_says_and_once() {
    let leaf = |kind, text: &str| precis_text::Leaf::new(kind, text);
    let heading = |text: &str| precis_text::Leaf { level: Some(1), ..leaf(precis_proto::BlockKind::Heading, text) };
    let paragraph = |text: &str| leaf(precis_proto::BlockKind::Paragraph, text);
    let text = CanonicalText::from_leaves(&[
        heading("Abstract"),
        paragraph("Names are bound within expressions. "),
        heading("Details"),
        paragraph(&"The salt of the sea is old. ".repeat(30)),
    ]);
    let id = SourceId::new("a").expect("an id");
    let found = of_text(&id, &text, ("salt of the sea", ""), (Ranker::default(), None), 40);
    let found: Vec<Passage> = found.into_iter().filter(|p| !p.text.contains("Names")).collect();
    let is_abstract = |passage: &&Passage| passage.text.contains("Names are bound");
    let best = found[0].score;
    let more = with_abstract(found, &id, &text, 40);
    let added: Vec<&Passage> = more.iter().filter(is_abstract).collect();
    assert_eq!(added.iter().map(|passage| passage.score).collect::<Vec<_>>(), [best]);
    assert_eq!(with_abstract(more.clone(), &id, &text, 40).len(), more.len());
    let bare = with_abstract(Vec::new(), &id, &CanonicalText::from_plain("Salt is old."), 40);
    assert!(bare.is_empty(), "a text without an abstract has none");
}

#[test]
fn the_parts_of_a_source_are_all_passages_about_equal() {
    let words = |text: &str| text.split_whitespace().count() as u64;
    let all: Vec<Passage> = (0..40).map(|n| passage("s", n * 100, &"word ".repeat(1 + n * 7 % 11))).collect();
    let total: u64 = all.iter().map(|one| words(&one.text)).sum();
    for of in [1, 2, 3, 7, 40, 1_000] {
        let parts: Vec<Vec<Passage>> = (0..of).map(|n| of_part(all.clone(), (n, of), &words)).collect();
        assert_eq!(parts.concat(), all, "{of}");
        let longest = parts.iter().map(|part| part.iter().map(|one| words(&one.text)).sum::<u64>()).max();
        assert!(longest.is_some_and(|longest| longest <= total.div_ceil(u64::from(of)) + 11), "{of} {longest:?}");
    }
    assert_eq!(of_part(Vec::new(), (0, 3), &words), []);
}

/// Finds remedies near each other; everything else is far.
#[derive(Debug)]
struct Remedies;

impl precis_evidence::meaning::Meaning for Remedies {
    fn key(&self) -> &str {
        "remedies"
    }

    fn query(&self, text: &str) -> Option<Vector> {
        let is_one = ["medicine", "tablets"].iter().any(|word| text.contains(word));
        (text != "?").then(|| Vector::from_unit(if is_one { &[1.0, 0.0] } else { &[0.0, 1.0] }))
    }

    fn passage(&self, text: &str) -> Option<Vector> {
        self.query(text)
    }
}

#[test]
fn first_passages_and_their_units_are_compared_with_the_question() {
    let passages: Vec<Passage> =
        (0..4).map(|n| passage("s", 100 * n, "The mayor spoke for long. Take two tablets a day.")).collect();
    let of = |query: &str, most| passage_similarities(&passages, query, &Remedies, most);
    for most in [0, 3, 4, 5] {
        let compared = of("medicine", most).iter().filter(|one| one.whole.map(f64::round) == Some(1.0)).count();
        assert_eq!(compared, most.min(4), "{most}");
    }
    let closely = unit_similarities(&passages[..1], "medicine", &Remedies).remove(0);
    assert_eq!(closely.units.iter().map(|cosine| cosine.map(f64::round)).collect::<Vec<_>>(), [Some(0.0), Some(1.0)]);
    assert_eq!(closely.whole, of("medicine", 1)[0].whole);
    assert!(of("?", 4).is_empty(), "a question without a vector");
    assert!(unit_similarities(&passages[..1], "?", &Remedies)[0].is_empty());
}

#[test]
fn a_heading_is_not_compared_and_precedes_its_text() {
    let mut below = passage("s", 0, "Remedies. Two a day.");
    below.headings = vec!["Office".to_owned(), "About tablets".to_owned()];
    below.units[0].kind = BlockKind::Heading;
    let found = unit_similarities(std::slice::from_ref(&below), "medicine", &Remedies).remove(0);
    assert_eq!(found.units.iter().map(|cosine| cosine.map(f64::round)).collect::<Vec<_>>(), [None, Some(1.0)]);
}
