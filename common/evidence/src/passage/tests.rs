use precis_text::Leaf;

use precis_proto::BlockKind;
use precis_text::chunk::chunks;

use super::*;

fn all(text: &CanonicalText) -> Vec<Passage> {
    let ranked: Vec<RankedChunk> = chunks(text, 400)
        .iter()
        .map(|chunk| {
            let range = precis_text::chunk::snippet(text, chunk);
            RankedChunk { range, locator: text.locator(range), text: text.slice(range).to_owned(), score: 0.5 }
        })
        .collect();
    passages(&SourceId::new("s").expect("an id"), text, &ranked)
}

fn quotes(passage: &Passage) -> Vec<String> {
    let slice = |unit: &Unit| passage.text.chars().skip(unit.start).take(unit.end - unit.start).collect();
    passage.units.iter().map(slice).collect()
}

#[test]
fn a_sentence_that_a_chunk_cuts_is_whole_in_its_passage() {
    let long = format!("No member {} may leave. ", "of the old and large federation of states ".repeat(8));
    let text = CanonicalText::from_leaves(&[Leaf::new(BlockKind::Paragraph, long.repeat(4))]);
    let found = all(&text);
    assert!(found.len() > 2);
    for passage in &found {
        assert_eq!(text.slice(passage.range), passage.text);
        assert_eq!(text.resolve(&passage.locator), Some(passage.range));
        for quote in quotes(passage) {
            assert!(quote.starts_with("No member") && quote.ends_with("may leave."), "{quote}");
        }
    }
    assert!(found.iter().all(|passage| !passage.units.is_empty()));
}

#[test]
fn a_cover_holds_every_character_once_and_cuts_no_sentence() {
    let pages =
        ["One. ".repeat(300), format!("A long one {}. Short. ", "goes on and on ".repeat(150)), "End".to_owned()];
    let leaves = [
        Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Doses") },
        Leaf::new(BlockKind::Paragraph, "The dose is nine grams a day for all who weigh enough. ".repeat(40)),
        Leaf::new(BlockKind::Furniture, "Page 3."),
        Leaf::new(BlockKind::Paragraph, "Never more. "),
    ];
    for text in [CanonicalText::from_pages(&pages), CanonicalText::from_leaves(&leaves)] {
        let ranked = crate::ranking::rank_widely(&text, "dose", crate::ranking::Ranker::Overlap, 400, usize::MAX);
        let found = cover(&SourceId::new("s").expect("an id"), &text, 400, &ranked);
        let mut at = 0;
        for passage in &found {
            let between = text.slice(CharRange::new(at, passage.range.start));
            assert!(between.chars().all(char::is_whitespace) || between.contains("---PAGE"), "{between:?}");
            assert_eq!(text.resolve(&passage.locator), Some(passage.range));
            for quote in quotes(passage) {
                assert!(quote.ends_with(['.', 's', 'd']), "{quote}");
            }
            at = passage.range.end;
        }
        assert_eq!(at, text.chars());
        let scored = found.iter().filter(|passage| passage.score > 0.0).count();
        assert_eq!(scored > 0, !ranked.is_empty());
    }
}

#[test]
fn passages_of_whole_blocks_hold_every_word_and_part_no_block() {
    let sentence = |chars: usize| format!("{}.", "x".repeat(chars - 1));
    let leaves = |chars: usize| {
        [
            Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Doses") },
            Leaf { level: Some(2), ..Leaf::new(BlockKind::Heading, "Adults") },
            Leaf::new(BlockKind::Paragraph, sentence(700)),
            Leaf::new(BlockKind::Paragraph, sentence(chars)),
            Leaf::new(BlockKind::Code, "dose = 4 * weight"),
            Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Ends") },
            Leaf::new(BlockKind::Paragraph, "One more sentence stands here. ".repeat(120).trim()),
        ]
    };
    // Headings, their spaces and the first paragraph are 713 characters.
    for (chars, first) in [(485, 2), (486, 2), (487, 1)] {
        let text = CanonicalText::from_leaves(&leaves(chars));
        let chunk = CharRange::new(0, 5);
        let ranked = [RankedChunk { range: chunk, locator: text.locator(chunk), text: "Doses".to_owned(), score: 0.5 }];
        let found = whole_blocks(&SourceId::new("s").expect("an id"), &text, &ranked);
        let paragraphs = |passage: &Passage| passage.units.iter().filter(|u| u.kind == BlockKind::Paragraph).count();
        assert_eq!(paragraphs(&found[0]), first, "{chars}");
        assert!(found[0].text.starts_with("Doses Adults x") && found[0].score > 0.0 && found[1].score <= 0.0);
        assert!(found.iter().flat_map(quotes).any(|quote| quote == "dose = 4 * weight"));
        let whole: String = found.iter().flat_map(|passage| passage.text.split_whitespace()).collect();
        assert_eq!(whole, text.as_str().split_whitespace().collect::<String>());
        let last = found.iter().filter(|passage| passage.headings == ["Ends"] || passage.text.starts_with("Ends"));
        assert!(last.count() > 2, "a long block is parted");
        assert!(found.iter().all(|passage| passage.text.ends_with(['.', 't'])), "and only behind sentences");
    }
}

#[test]
fn rows_and_headings_are_quoted_whole_and_furniture_never() {
    let text = CanonicalText::from_leaves(&[
        Leaf { level: Some(1), ..Leaf::new(BlockKind::Heading, "Doses. For all") },
        Leaf::row(1, false, &["Adults", "Do not. Exceed four."]),
        Leaf::new(BlockKind::Furniture, "Page 3."),
        Leaf::new(BlockKind::Paragraph, "One. Two is here."),
    ]);
    let found = all(&text);
    assert_eq!(quotes(&found[0]), ["Doses. For all", "Adults Do not. Exceed four.", "One.", "Two is here."]);
    assert_eq!(found[0].units.iter().map(|u| u.block).collect::<Vec<_>>(), [0, 1, 3, 3]);
    let head = |unit: &Unit| unit.head().map(|head| found[0].text.chars().skip(head.start).take(head.len()).collect());
    let heads: Vec<Option<String>> = found[0].units.iter().map(head).collect();
    assert_eq!(heads, [None, Some("Adults".to_owned()), None, None]);
}

#[test]
fn a_header_goes_along_with_each_row_of_its_table() {
    let row = |n: usize| Leaf::row(1, false, &[format!("Bolt {n}"), format!("{} N m {}", n * 7, "x".repeat(90))]);
    let mut leaves = vec![Leaf::row(1, true, &["Bolt", "Torque"])];
    leaves.extend((1..12).map(row));
    leaves.push(Leaf::new(BlockKind::Paragraph, "No table. ".repeat(60)));
    let found = all(&CanonicalText::from_leaves(&leaves));
    let with_rows = |passage: &&Passage| passage.units.iter().any(|unit| unit.kind == BlockKind::TableRow);
    assert!(found.iter().filter(with_rows).count() > 1);
    for passage in &found {
        assert_eq!(passage.columns == "Bolt Torque", with_rows(&passage), "{passage:?}");
    }
}

#[test]
fn text_cut_by_a_page_end_is_not_quoted() {
    let open =
        |goes_on, begun_before, text: &str| Leaf { goes_on, begun_before, ..Leaf::new(BlockKind::Paragraph, text) };
    let text = CanonicalText::from_leaf_pages(&[
        vec![open(true, false, "One is whole. The dose may be")],
        vec![open(false, true, "doubled by nobody. Two is whole.")],
        vec![open(true, true, "this stands between and")],
    ]);
    let found: Vec<String> = all(&text).iter().flat_map(quotes).collect();
    assert_eq!(found, ["One is whole.", "Two is whole."]);
}

#[test]
fn a_passage_knows_the_headings_above_it() {
    let heading = |level, text: &str| Leaf { level: Some(level), ..Leaf::new(BlockKind::Heading, text) };
    let body = |text: &str| Leaf::new(BlockKind::Paragraph, format!("{text} {}", "word ".repeat(190)));
    let text = CanonicalText::from_leaves(&[
        heading(1, "Book"),
        heading(2, "First part"),
        body("a"),
        heading(2, "Second part"),
        heading(3, "Detail"),
        body("b"),
    ]);
    let found = all(&text);
    let last = found.last().expect("passages");
    assert_eq!(last.headings, ["Book", "Second part", "Detail"]);
}
