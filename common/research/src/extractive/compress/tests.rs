//! Tests of which sentences become findings, and in what order.

use precis_proto::finding::Unit;
use precis_proto::task::{PassageSimilarity, TaskPassage};
use precis_proto::{BlockKind, CharRange};

use super::*;

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

fn task(query: &str, passages: &[(u32, &str)], max_findings: usize) -> CompressTask {
    let passages = passages.iter().zip(1..).map(|((source, text), id)| TaskPassage {
        id,
        title: String::new(),
        path: String::new(),
        source: *source,
        text: (*text).to_owned(),
        score: 0.5,
        units: units(text),
        headings: Vec::new(),
        columns: String::new(),
        context: Vec::new(),
        similarity: Default::default(),
    });
    CompressTask {
        notes: Vec::new(),
        query: query.into(),
        topic: String::new(),
        passages: passages.collect(),
        max_findings,
        known: Default::default(),
    }
}

fn statements(task: &CompressTask) -> Vec<String> {
    compress(task).findings.into_iter().map(|f| f.statement).collect()
}

const RIVER: &str = "of the valley. The river floods every spring after the snow melts. Farmers plant rice on the wet \
    fields. The dam above the town was built in 1950 and";
const DAM: &str = "The dam holds back most of the water in spring. The river floods every spring after the snow melts. \
    Engineers check the concrete wall of the dam each year.";

#[test]
fn each_statement_is_the_span_of_its_passage() {
    let task = task(
        "dam and river in spring",
        &[(1, RIVER), (2, DAM), (3, "Überall blüht es. Ärzte warnen vor dem Hochwasser im Frühjahr.")],
        9,
    );
    let found = compress(&task).findings;
    assert_eq!(found.len(), 3);
    for finding in found {
        let passage = &task.passages[finding.passages[0] as usize - 1];
        let span = finding.span.expect("set");
        let text: String = passage.text.chars().skip(span.start).take(span.len()).collect();
        assert_eq!(text, finding.statement);
        assert!((0.0..=1.0).contains(&finding.score));
    }
}

#[test]
fn equal_statements_beyond_the_limit_are_separate_findings() {
    let flood = "The river floods every spring after the snow melts.";
    let found = compress(&task("When does the river flood?", &[(1, flood), (2, flood), (2, flood)], 1)).findings;
    assert_eq!(found.iter().map(|finding| finding.passages[0]).collect::<Vec<_>>(), [1, 2]);
    let other = "The dam was built in 1950.";
    assert_eq!(statements(&task("river dam", &[(1, flood), (2, other)], 1)).len(), 1);
}

#[test]
fn the_question_changes_the_winner() {
    let long = "x ".repeat(200);
    let walls = format!("Engineers check the concrete wall. {long}. Farmers plant rice on the wet fields.");
    assert!(statements(&task("Who checks the concrete wall?", &[(1, &walls)], 1))[0].starts_with("Engineers"));
    assert!(statements(&task("What do farmers plant?", &[(1, &walls)], 1))[0].ends_with("wet fields."));
}

#[test]
fn only_units_are_quoted_and_never_two_blocks_together() {
    let mut task = task("dam wall", &[(1, "rest of one. The dam is old. The wall is new. and the rest")], 9);
    let unit = |start, end, block| Unit {
        start,
        end,
        block,
        kind: BlockKind::Paragraph,
        head_end: None,
        depth: None,
        needs: Vec::new(),
        list: Vec::new(),
        more_items: 0,
        place: None,
        recognized: None,
    };
    task.passages[0].units = vec![unit(13, 28, 0), unit(29, 45, 1)];
    assert_eq!(statements(&task), ["The dam is old.", "The wall is new."]);
    task.passages[0].units = vec![unit(13, 28, 0), unit(29, 45, 0), unit(46, 99, 0)];
    assert_eq!(statements(&task), ["The dam is old. The wall is new."]);
    task.passages[0].units.clear();
    assert!(statements(&task).is_empty(), "half sentences are quoted by nobody");
}

#[test]
fn a_sentence_is_quoted_with_the_one_that_dates_it() {
    let day = "On May 3, 2020, the office reported a case. On the same day, the agency declared an emergency. The agency \
        declared the emergency again and again in later speeches that nobody wrote down.";
    let found = statements(&task("When did the agency declare an emergency?", &[(1, day)], 1));
    assert!(
        found[0].starts_with("On May 3, 2020, the office reported a case. On the same day, the agency"),
        "{found:?}"
    );
}

#[test]
fn what_says_what_something_is_comes_before_what_speaks_of_it_often() {
    let often = "EGR1 rises, EGR1 falls, and EGR1 protein follows EGR1 mRNA where EGR1 is induced.";
    let once = "EGR1 is a transcription factor that can be induced by numerous signals in many kinds of cells.";
    assert!(statements(&task("What is EGR1?", &[(1, often), (2, once)], 2))[0].starts_with("EGR1 is a"));
}

#[test]
fn an_announcing_sentence_ends_no_quote_and_follows_the_content() {
    let announced = "Bearings fail where grease is old. The causes of failing bearings are these:";
    let told = "Old grease is the cause of failing bearings.";
    let query = "What is the cause of failing bearings?";
    assert_eq!(statements(&task(query, &[(1, announced), (2, told)], 2))[0], told);
    let first = statements(&task("When do bearings fail?", &[(1, announced)], 1));
    assert_eq!(first, ["Bearings fail where grease is old."]);
    // If nothing else mentions it, it is still shown.
    assert_eq!(statements(&task(query, &[(1, "The causes of failing bearings are these:")], 1)).len(), 1);
}

#[test]
fn no_more_findings_than_asked_for() {
    for max in 0..4 {
        assert_eq!(statements(&task("river dam", &[(1, RIVER), (2, DAM)], max)).len(), max.min(2));
    }
    assert!(statements(&task("river", &[], 5)).is_empty());
}

#[test]
fn ties_are_broken_by_position_and_findings_are_deterministic() {
    let twins = [(1, "The red boat sails to the north coast."), (2, "The blue cart rolls to the south gate.")];
    let found = statements(&task("nothing in common", &twins, 9));
    assert!(found[0].starts_with("The red"));
    assert_eq!(found, statements(&task("nothing in common", &twins, 9)));
}

#[test]
fn a_question_of_the_document_is_no_answer() {
    let passages = [(1, "How many jobs will be lost in Kiel?"), (2, "In Kiel 120 jobs will be lost.")];
    assert_eq!(
        statements(&task("How many jobs will be lost in Kiel?", &passages, 1)),
        ["In Kiel 120 jobs will be lost."]
    );
}

#[test]
fn a_command_with_the_question_is_no_answer() {
    let query = "How does a session survive the death of a worker?";
    let command = format!("precis run \"{query}\" README.md");
    let passages =
        [(1, command.as_str()), (2, "Of a session the broker keeps the delivery, which another worker gets.")];
    assert!(statements(&task(query, &passages, 2))[0].starts_with("Of a session"));
    let score = |query: &str, kind: BlockKind| {
        let mut task = task(query, &[(1, "session.survive(worker, death) with --max-procs")], 1);
        task.passages[0].units.iter_mut().for_each(|unit| unit.kind = kind);
        compress(&task).findings[0].score
    };
    assert!(score(query, BlockKind::Code) < score(query, BlockKind::Paragraph));
    let of = |chars: usize| {
        let text = format!("session survive {}", "=".repeat(chars - 16));
        let mut task = task(query, &[(1, &text)], 1);
        task.passages[0].units.iter_mut().for_each(|unit| unit.kind = BlockKind::Code);
        compress(&task).findings[0].score
    };
    assert!((of(299) - of(300)).abs() < 1e-9 && of(301) < of(300) && of(600) < of(301));
    let of_code = "How does a session survive with --max-procs?";
    assert!((score(of_code, BlockKind::Code) - score(of_code, BlockKind::Paragraph)).abs() < 1e-9);
}

#[test]
fn a_heading_names_what_its_passage_says_and_says_nothing() {
    let score = |query: &str, text: &str, kind: BlockKind| {
        let mut task = task(query, &[(1, text)], 1);
        task.passages[0].units.iter_mut().for_each(|unit| unit.kind = kind);
        compress(&task).findings[0].score
    };
    let share =
        |query: &str, text: &str| score(query, text, BlockKind::Heading) / score(query, text, BlockKind::Paragraph);
    let named = share("Where do glaciers lose ice?", "Glaciers and their ice");
    assert!(named <= 0.55, "{named}");
    let told = share("When did the glacier end?", "The glacier ended in 2019");
    assert!(told > 0.55, "{told}");
}

#[test]
fn a_document_that_the_question_names_speaks_of_itself_in_each_sentence() {
    let query = "What does PEP 572 add?";
    let texts = [
        (1, "Names can be bound within an expression."),
        (1, "Lambdas come later."),
        (2, "A rival of PEP 572 would add a keyword."),
        (2, "Nobody would add a keyword."),
        (2, "Status: Draft to add"),
        (1, "PEP: 572"),
    ];
    let mut task = task(query, &texts, 9);
    for passage in &mut task.passages {
        passage.title = if passage.source == 1 { "PEP 572: Assignment Expressions" } else { "PEP 9: Salt" }.to_owned();
    }
    task.passages[0].headings = vec!["Abstract".to_owned()];
    task.passages[4].units[0].kind = BlockKind::FormField;
    task.passages[5].units[0].kind = BlockKind::FormField;
    let plain = compress(&task).findings;
    assert!(plain.iter().any(|f| f.statement.starts_with("Status")), "{plain:?}");
    task.known.documents = vec!["PEP 572".to_owned()];
    let found = compress(&task).findings;
    let said: Vec<&str> = found.iter().map(|f| f.statement.as_str()).collect();
    assert_eq!(said[0], texts[0].1, "the abstract, where the document is asked for as a whole");
    assert!(!said.contains(&texts[4].1), "a field speaks of its own document");
    assert!(said.iter().position(|said| *said == "PEP: 572") > Some(1), "it says what the question says: {said:?}");
    let score = |found: &[FindingDraft], text: &str| found.iter().find(|f| f.statement == text).map(|f| f.score);
    assert!(score(&found, texts[3].1) < score(&plain, texts[3].1), "it is about another document");
    assert_eq!(score(&found, texts[2].1).map(|s| s > 0.2), Some(true), "{found:?}");
}

#[test]
fn what_a_named_document_says_of_something_is_quoted_from_itself() {
    let texts =
        [(1, "Generics can be parameterized by a factory."), (2, "On generics, see what PEP 484 says of generics.")];
    let mut task = task("What does PEP 484 say about generics?", &texts, 2);
    task.passages[0].title = "PEP 484: Type Hints".to_owned();
    task.known.documents = vec!["PEP 484".to_owned()];
    assert_eq!(statements(&task)[0], texts[0].1);
    task.known.documents.clear();
    assert_eq!(statements(&task)[0], texts[1].1, "unless it is not known to be named");
}

#[test]
fn a_word_that_is_rare_where_the_passages_come_from_weighs_more() {
    let texts = [(1, "The distutils of old go away."), (2, "The version of old goes away."), (3, "distutils stay.")];
    let mut task = task("version of distutils", &texts, 9);
    assert_eq!(statements(&task)[0], texts[1].1, "among these, `version` is the rare one");
    task.known.rarity = [("distutils".to_owned(), 9.0), ("version".to_owned(), 0.5)].into();
    assert_ne!(statements(&task)[0], texts[1].1);
}

#[test]
fn a_section_of_reasons_comes_first_where_the_question_asks_why() {
    let texts = ["All locks of the interpreter wait.", "Old locks of the interpreter end."];
    let first = |query: &str| {
        let mut task = task(query, &[(1, texts[0]), (1, texts[1]), (2, "A door has a lock.")], 3);
        task.passages[1].headings = vec!["1. Motivation".to_owned()];
        statements(&task).remove(0)
    };
    assert_eq!(first("Why are the locks optional?"), texts[1]);
    assert_eq!(first("Which locks are optional?"), texts[0]);
}

/// A document that begins with fields, then its abstract, in one passage.
fn with_head(query: &str) -> CompressTask {
    let head =
        "Resolution: https://example.org/pep-518 Abstract This text says what a build needs. It names a new file. ";
    let texts = [(1, head), (1, "For instance, a parser of PEP 518 reads what PEP 518 says."), (2, "Salt is old.")];
    let mut task = task(query, &texts, 9);
    let place = |part: &str| head.find(part).expect("is there");
    let unit = |part: &str, block, kind| {
        let start = place(part);
        Unit {
            start,
            end: start + part.len(),
            block,
            kind,
            head_end: None,
            depth: None,
            needs: Vec::new(),
            list: Vec::new(),
            more_items: 0,
            place: None,
            recognized: None,
        }
    };
    task.passages[0].units = vec![
        unit("Resolution: https://example.org/pep-518", 0, BlockKind::FormField),
        unit("Abstract", 1, BlockKind::Heading),
        unit("This text says what a build needs.", 2, BlockKind::Paragraph),
        unit("It names a new file.", 2, BlockKind::Paragraph),
    ];
    task.passages.iter_mut().filter(|passage| passage.source == 1).for_each(|passage| {
        passage.title = "PEP 518: Build Requirements".to_owned();
    });
    task.known.documents = vec!["PEP 518".to_owned()];
    task
}

#[test]
fn a_what_is_question_gets_the_beginning_of_the_abstract() {
    for query in ["What is PEP 518?", "Summarize PEP 518.", "What does PEP 518 specify?"] {
        let said = statements(&with_head(query));
        assert!(said[0].starts_with("This text says what a build needs."), "{query} {said:?}");
        let field = said.iter().position(|said| said.starts_with("Resolution"));
        assert!(field.is_none_or(|at| at > 1), "a field says less than any sentence of its document: {query} {said:?}");
    }
    let said = statements(&with_head("What does a parser of PEP 518 read?"));
    assert!(said[0].starts_with("For instance"), "{said:?}");
}

/// A list of changes: for each version the heading, then what changed, all in one passage.
#[test]
fn the_path_of_a_document_says_what_its_sentences_are_about() {
    let texts = [(1, "Faster queues of all kinds."), (2, "Faster queues in all cases.")];
    for (n, (_, text)) in texts.iter().enumerate() {
        let mut task = task("What changed in the queues of granite?", &texts, 2);
        task.passages[n].path = "granite-2.1/CHANGES.md".to_owned();
        assert_eq!(statements(&task)[0], *text);
    }
}

#[test]
fn an_address_alone_is_the_last_thing_to_quote() {
    let texts = [(1, "https://example.org/queues/2.1/faster"), (2, "Some of the queues are slow.")];
    assert_eq!(statements(&task("Are the queues of 2.1 faster?", &texts, 2))[0], texts[1].1);
}

#[test]
fn a_question_about_a_foldered_subject_favours_its_folder() {
    let texts =
        [(1, "To report a security issue, report the security issue by letter."), (2, "Any issue goes to the owner.")];
    let mut task = task("How do I report a security issue in granite?", &texts, 2);
    task.passages[0].path = "mill/SECURITY.md".to_owned();
    task.passages[1].path = "granite/SECURITY.md".to_owned();
    assert_eq!(statements(&task)[0], texts[0].1);
    task.known.subjects = vec!["granite".to_owned()];
    assert_eq!(statements(&task)[0], texts[1].1);
}

#[test]
fn what_shares_no_word_with_the_question_is_found_by_its_meaning() {
    let texts =
        [(1, "The mayor spoke for long about medicine. The fair began."), (2, "Rain fell. Take two tablets at noon.")];
    let mut task = task("When is the medicine swallowed?", &texts, 9);
    assert_eq!(statements(&task)[0], texts[0].1, "by words");
    let cosines = [vec![Some(0.71), Some(0.7)], vec![Some(0.7), Some(0.9)]];
    let of = |(whole, units)| PassageSimilarity { whole: Some(whole), units };
    let similarities = [0.72, 0.85].into_iter().zip(cosines).map(of);
    task.passages.iter_mut().zip(similarities).for_each(|(passage, similarity)| passage.similarity = similarity);
    let found = compress(&task).findings;
    assert_eq!((found[0].statement.as_str(), found[0].similarity), (texts[1].1, Some(0.9)));
    assert_eq!(found[1].similarity, Some(0.71));
}

#[test]
fn where_all_words_are_found_meaning_only_orders_what_is_as_good() {
    let texts =
        [(1, "The dam was built in 1950."), (2, "The wall was made long ago."), (3, "The dam was built in May.")];
    let mut task = task("When was the dam built?", &texts, 9);
    let cosines = [vec![Some(0.8)], vec![Some(0.86)], vec![Some(0.85)]];
    task.passages.iter_mut().zip(cosines).for_each(|(passage, cosines)| passage.similarity.units = cosines);
    let found = statements(&task);
    assert_eq!(found[..2], [texts[2].1, texts[0].1]);
}

#[test]
fn cosines_that_are_no_numbers_or_all_the_same_change_nothing() {
    let plain = task("Where do mules rest?", &[(1, RIVER), (2, DAM)], 9);
    for cosine in [None, Some(0.8), Some(f64::NAN)] {
        let mut with = plain.clone();
        with.passages.iter_mut().for_each(|passage| passage.similarity.units = vec![cosine; passage.units.len()]);
        assert_eq!(statements(&with), statements(&plain), "{cosine:?}");
    }
}

#[test]
fn each_clause_of_a_question_has_its_best_answer_first() {
    let texts = [
        (1, "Homebrew puts the tool into the folder bin."),
        (2, "The tool of Scoop and Homebrew ends where the folder of Scoop ends."),
        (3, "Scoop puts reports on the board."),
    ];
    let found = compress(&task("Where does Homebrew put the tool, and where does Scoop put reports?", &texts, 3));
    let first: Vec<&str> = found.findings.iter().take(2).map(|finding| finding.statement.as_str()).collect();
    assert_eq!(first, [texts[0].1, texts[2].1]);
    assert!(found.findings.windows(2).all(|two| two[0].score >= two[1].score));
}
