//! Research that a good model plans, supervises and does: what it is shown, what code keeps to whatever it wants, and what is kept of it.

mod study;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use study::{BIRTH, DOCUMENTS, FERRY, Script, Study, labels, number_in, pieces, shape};

#[tokio::test]
async fn a_supervisor_thinks_then_delegates_and_sees_evidence_apart_from_findings() {
    let study = Study::of(Script::default()).await;
    let order: Vec<&str> = study.seen.iter().map(shape).filter(|shape| *shape != "turn").collect();
    // A plan and its critique; a thought, a delegation and its critique; a thought and a delegation.
    assert_eq!(order, ["plan", "plan", "thought", "delegation", "delegation", "thought", "delegation"]);
    let delegations = study.asked("delegation");
    for words in [
        "The question is moderate.",
        "Send few. A simple question needs one or two researchers. A comparison needs one for each thing compared.",
        "A complex question needs three to five, each with a part of its own. Never more than five.",
        "Give at most 3 directives.",
    ] {
        assert!(delegations[0].contains(words), "{words}: {}", delegations[0]);
    }
    assert!(labels(&delegations[0]).contains(&"thought of this round".to_owned()), "{:?}", labels(&delegations[0]));
    // In the second round both are shown what there is, with its round and directive, apart from what was found out.
    for asked in [&study.asked("thought")[1], &delegations[2]] {
        let pieces = pieces(asked);
        let of = |label: &str| -> Vec<&str> {
            pieces.iter().filter(|(l, _)| l == label).map(|(_, text)| text.as_str()).collect()
        };
        for (id, topics) in
            [("r1.d1", "topics: q2: Where was the director"), ("r1.d2", "topics: q3: who owned the ferry")]
        {
            let inventory = of(&format!("evidence we have, {id}"));
            assert_eq!(inventory.len(), 1, "{:?}", labels(asked));
            let lines: Vec<&str> = inventory[0].lines().collect();
            assert!(lines[0].contains(" sources, 1 domains, ") && lines[0].ends_with(" data points"), "{lines:?}");
            assert!(lines[1].starts_with(topics), "{lines:?}");
            assert!(inventory[0].chars().count() <= 501, "{inventory:?}");
        }
        assert!(
            of("evidence we have, r1.d2")[0].contains("ferry.txt | ferry.txt | covers "),
            "{:?}",
            of("evidence we have, r1.d2")
        );
        let found = of("what we found");
        let number = study.directive(FERRY)["inventory"]["lines"][0]["n"].as_u64().expect("a number");
        assert!(found.contains(&format!("r1.d2: Carl Hope owned it [{number}].\n").as_str()), "{found:?}");
        assert!(found.iter().all(|text| !text.contains("data points")), "{found:?}");
        assert_eq!(of("thought before"), ["My thought of round 1: two parts are open.\n"]);
    }
    // The prompt says what each is.
    assert!(study.asked("thought")[1].contains("\"Evidence we have\" lists documents that were found."));
    let score = &study.rounds()[0]["score"];
    assert!(score["whole"].as_f64().is_some_and(|whole| (0.0..1.0).contains(&whole)), "{score}");
}

#[tokio::test]
async fn a_rounds_directives_are_limited_and_refusals_reach_the_next_thought() {
    let study = Study::of(Script { is_greedy: true, ..Script::default() }).await;
    let first = study.rounds()[0]["directives"].as_array().expect("directives");
    assert_eq!(first.len(), 3, "a moderate question: {first:?}");
    let topics: Vec<&str> = first.iter().filter_map(|one| one["topic"].as_str()).collect();
    assert_eq!(topics, [BIRTH, FERRY, "Look for boat number 1."], "by priority, then as they were written");
    let pieces = pieces(&study.asked("thought")[1]);
    let refused = pieces.iter().find(|(label, _)| label == "refused directives").map(|(_, text)| text.as_str());
    let refused: Vec<&str> = refused.expect("they are told").lines().collect();
    assert_eq!(refused.len(), 5, "{refused:?}");
    assert!(refused.iter().all(|line| line.ends_with("was not sent: at most 3 directives a round")), "{refused:?}");
}

#[tokio::test]
async fn unreadable_answers_are_requested_again_and_counted_by_topic_and_model() {
    let study = Study::of(Script { unreadable_turns: 2, unreadable_thoughts: 2, ..Script::default() }).await;
    let thoughts = study.asked("thought");
    assert_eq!(thoughts.len(), 4, "asked twice again, then in the second round");
    for again in &thoughts[1..3] {
        assert!(again.starts_with(&thoughts[0]) && again[thoughts[0].len()..].contains("Answer again"), "{again}");
    }
    assert_eq!(study.rounds()[0]["unreadable"], json!({ "fake:m": 2 }));
    assert!(study.rounds()[0]["think"].is_string());
    let failures: u64 = study.directives().iter().map(|one| one["tool_parse_failures"].as_u64().unwrap_or(0)).sum();
    assert_eq!(failures, 2, "{:?}", study.directives());
    for one in study.directives() {
        let counted = one["unreadable"]["fake:m"].as_u64().unwrap_or(0);
        assert_eq!(Some(counted), one["tool_parse_failures"].as_u64(), "{one}");
    }
}

#[tokio::test]
async fn a_failing_supervisor_is_reported_and_the_built_in_one_answers() {
    let study = Study::of(Script { unreadable_thoughts: 99, ..Script::default() }).await;
    assert_eq!(study.asked("thought").len(), 6, "three times in each of two rounds");
    let warnings = study.data["warning_details"].as_array().expect("warnings");
    let told = warnings.iter().any(|one| {
        one["code"] == "PROVIDER_FALLBACK"
            && one["message"].as_str().is_some_and(|said| said.contains("`fake:m` failed"))
    });
    assert!(told, "{warnings:?}");
    assert_eq!(study.directive(FERRY)["stopped"], "complete", "the round went on");
    assert_eq!(study.rounds()[0]["unreadable"], json!({ "fake:m": 3 }));
}

#[tokio::test]
async fn a_document_has_one_number_in_every_turn_inventory_and_report() {
    let study = Study::of(Script::default()).await;
    let rows = study.data["sources"].as_array().expect("rows");
    let number = |path: &str| {
        let row = rows.iter().find(|row| row["path"] == path).unwrap_or_else(|| panic!("{path} is read: {rows:?}"));
        row["number"].as_u64().expect("a number")
    };
    let numbers: BTreeSet<u64> = rows.iter().filter_map(|row| row["number"].as_u64()).collect();
    assert_eq!(numbers.len(), rows.len(), "each its own: {rows:?}");
    let mut told = 0;
    for line in study.directives().iter().flat_map(|one| one["inventory"]["lines"].as_array().expect("lines")) {
        if rows.iter().any(|row| row["path"] == line["where"]) {
            assert_eq!(line["n"].as_u64(), Some(number(line["where"].as_str().expect("a path"))), "{line}");
            told += 1;
        }
    }
    assert!(told >= 4, "{told}");
    // In every turn of a topic, in the thought of the next round, and in the notes once the round has ended.
    let later = study.asked("thought")[1].clone();
    for (topic, path) in [(FERRY, "ferry.txt"), (BIRTH, "bell.txt")] {
        let turns: Vec<String> = study.asked("turn").into_iter().filter(|text| text.contains(topic)).collect();
        let in_turns: BTreeSet<String> = turns.iter().filter_map(|text| number_in(text, path)).collect();
        assert_eq!(in_turns.len(), 1, "{topic}: {in_turns:?}");
        assert!(turns.len() >= 3, "{}", turns.len());
        let number = number(path).to_string();
        assert_eq!(number_in(&later, path), Some(number.clone()), "{later}");
        let notes = study.notes(study.directive(topic)).await;
        assert_eq!(number_in(&notes, path), Some(number), "{notes}");
    }
    // Both topics find the place where she was born; it is one source, with one number, found by both.
    let both = rows.iter().find(|row| row["path"] == "bell.txt").expect("a row");
    let found_by = both["found_by"].as_array().expect("queries");
    for topic in [FERRY, BIRTH] {
        let queries = study.directive(topic)["queries"].as_array().expect("queries");
        assert!(queries.iter().any(|query| found_by.contains(&query["text"])), "{topic}: {both}");
        let notes = study.notes(study.directive(topic)).await;
        assert_eq!(number_in(&notes, "bell.txt"), Some(number("bell.txt").to_string()), "{topic}: {notes}");
    }
}

#[tokio::test]
async fn a_researcher_learns_what_is_new_related_and_seen_before() {
    let study = Study::of(Script::default()).await;
    let turns = study.asked("turn");
    let all = turns.iter().flat_map(|text| text.lines()).collect::<BTreeSet<&str>>();
    let ends = |document: &str, novelty: &str| {
        all.iter().any(|line| line.contains(&format!("] {document} |")) && line.ends_with(&format!("| {novelty}")))
    };
    assert!(ends("film.txt", "new") || ends("cinema.txt", "new"), "{all:?}");
    // Two texts on one film are alike; which one comes first is the search's to say.
    assert!(ends("cinema.txt", "related") || ends("film.txt", "related"), "{all:?}");
    assert!(ends("boats.txt", "duplicate"), "{all:?}");
    assert!(
        all.iter()
            .any(|line| line.starts_with("search \"") && line.contains(" domains; ") && line.ends_with(" 1 related")),
        "{all:?}"
    );
    assert!(all.iter().any(|line| line.starts_with("search \"") && line.contains(" results, 1 domains; ")), "{all:?}");
}

#[tokio::test]
async fn raw_notes_of_every_researcher_are_kept_and_lie_in_the_archive() {
    let study = Study::of(Script::default()).await;
    for topic in [FERRY, BIRTH] {
        let directive = study.directive(topic);
        let notes = study.notes(directive).await;
        for said in ["think]", "call]", "result]", "One is worth reading."] {
            assert!(notes.contains(said), "{topic}: {said}: {notes}");
        }
        let hex = directive["raw_notes"].as_str().and_then(|hash| hash.strip_prefix("sha256:")).expect("a hash");
        let file = study.archive.path().join("research-notes").join(format!("{hex}.txt"));
        assert_eq!(std::fs::read_to_string(&file).expect("archived"), notes);
    }
}

#[tokio::test]
async fn the_writer_sees_raw_notes_and_claims_only_from_them_are_doubted() {
    let roles = ["supervision", "research", "synthesis"];
    for (window, has_notes) in [(32_000, true), (1_080, false)] {
        let study = Study::with(Script::default(), window, &roles).await;
        let asked = study.asked("report");
        let noted: Vec<String> = pieces(&asked[0])
            .into_iter()
            .filter(|(label, _)| label == "supplementary notes, not citable")
            .map(|(_, text)| text)
            .collect();
        let tokens: Vec<u64> =
            study.seen.iter().filter(|seen| shape(seen) == "report").map(|seen| seen.tokens).collect();
        assert_eq!(!noted.is_empty(), has_notes, "{window}: {tokens:?} {:?}", labels(&asked[0]));
        assert_eq!(asked[0].contains("Findings go before notes"), has_notes, "{window}");
        if has_notes {
            assert!(noted.iter().any(|text| text.contains("painted green in 1899")), "{noted:?}");
            let place = |label: &str| labels(&asked[0]).iter().position(|one| one.contains(label));
            assert!(place("1: ") < place("supplementary"), "the findings come first: {:?}", labels(&asked[0]));
        }
        assert!(study.seen.iter().filter(|seen| shape(seen) == "report").all(|seen| seen.tokens <= window), "{window}");
        let report = study.data["report"].as_str().expect("a report");
        let doubted = "The boats of Carl Hope were painted green in 1899. († not found there: 1899)";
        assert!(report.contains("owned by Carl Hope") && report.matches("painted green").count() == 1, "{report}");
        assert!(report.contains(doubted), "{report}");
        // It is the model's: nobody judged it, so what its quotes do not carry stays and says so.
        assert_eq!(
            study.data["generated"]["models"].as_array().map(|models| models.contains(&json!("fake:writer"))),
            Some(true)
        );
    }
}

#[tokio::test]
async fn the_judge_sees_raw_notes_as_far_as_there_is_room() {
    let roles = ["supervision", "research", "evaluation"];
    for (window, has_all) in [(32_000, true), (6_000, false)] {
        let study = Study::with(Script::default(), window, &roles).await;
        let asked = study.asked("ratings");
        assert_eq!(asked.len(), 2, "one question for each order");
        for (text, is_first) in asked.iter().zip([true, false]) {
            let pieces = pieces(text);
            let notes: Vec<&String> =
                pieces.iter().filter(|(label, _)| label == "research notes").map(|(_, text)| text).collect();
            let is_noted = notes.iter().any(|text| text.contains("painted green in 1899"));
            assert!(is_noted || !has_all, "{window}: {:?}", labels(text));
            let report = pieces.iter().position(|(label, _)| label == "report").expect("the report");
            assert_eq!(report == 0, is_first, "{window}: {:?}", labels(text));
            assert!(pieces[report].1.contains("Carl Hope"), "the report is whole: {}", pieces[report].1);
        }
        assert!(study.seen.iter().all(|seen| seen.tokens <= window), "{window}");
    }
}

#[tokio::test]
async fn findings_are_made_topic_by_topic_of_sources_with_their_numbers() {
    let study = Study::with(Script::default(), 32_000, &["supervision", "research", "compression"]).await;
    let asked = study.asked("findings");
    let rows = study.data["sources"].as_array().expect("rows");
    let mut topics = BTreeSet::new();
    for text in &asked {
        let topic = [FERRY, BIRTH].into_iter().filter(|topic| text.contains(topic)).collect::<Vec<_>>();
        assert!(topic.len() <= 1, "one call is about one topic: {text}");
        topics.extend(topic);
        for (label, _) in pieces(text).iter().filter(|(label, _)| label.contains(".txt")) {
            let row = rows.iter().find(|row| label.contains(row["path"].as_str().expect("a path"))).expect("a row");
            assert!(label.ends_with(&format!("(source {})", row["number"])), "{label}: {row}");
        }
    }
    assert!(topics.len() >= 2, "{topics:?} of {} calls", asked.len());
}

#[tokio::test]
async fn who_answers_first_changes_nothing() {
    let lasting = |study: &Study| {
        let mut research = study.data["research"].clone();
        for round in research["rounds"].as_array_mut().expect("rounds") {
            round["seconds"] = Value::Null;
        }
        (research, study.data["report"].clone(), study.data["sources"].clone())
    };
    let quick = Study::of(Script::default()).await;
    let slow = Study::of(Script { slow: Duration::from_millis(60), ..Script::default() }).await;
    assert_eq!(lasting(&slow), lasting(&quick));
}

#[tokio::test]
async fn what_leaves_a_small_window_is_on_record_with_its_sources() {
    let study =
        Study::with(Script { long_thoughts: 90, ..Script::default() }, 4_200, &["supervision", "research"]).await;
    let dropped: Vec<&Value> =
        study.directives().iter().flat_map(|one| one["dropped_messages"].as_array().expect("a list")).collect();
    assert!(
        dropped.iter().any(|one| one["sources"].as_array().is_some_and(|sources| !sources.is_empty())),
        "{dropped:?}"
    );
    // What a window lost stands in the notes.
    for directive in study.directives().into_iter().filter(|one| one["raw_notes"].is_string()) {
        let notes = study.notes(directive).await;
        for one in directive["dropped_messages"].as_array().expect("a list") {
            let mark = format!("[{} {}]", one["n"], one["role"].as_str().expect("a role"));
            assert!(notes.contains(&mark), "{mark}: {notes}");
        }
    }
    let fidelity = study.data["content_fidelity"].to_string();
    assert!(fidelity.contains("dropped from the window of r1.d"), "{fidelity}");
    // Each document that they told of has lowered notes, and no other has.
    for directive in study.directives() {
        let told = |one: &Value| one["sources"].as_array().cloned().unwrap_or_default();
        let messages = directive["dropped_messages"].as_array().expect("a list");
        let want: BTreeSet<u64> = messages.iter().flat_map(told).filter_map(|n| n.as_u64()).collect();
        let notes = directive["notes_fidelity"].as_array().cloned().unwrap_or_default();
        assert_eq!(notes.iter().filter_map(|one| one["n"].as_u64()).collect::<BTreeSet<_>>(), want);
        for one in &notes {
            assert!(one["level"] != "raw" && one["tokens_after"].as_u64() < one["tokens_before"].as_u64(), "{one}");
        }
    }
    assert!(fidelity.contains("its notes there are "), "{fidelity}");
}

#[tokio::test]
async fn every_excerpt_shown_to_a_researcher_is_in_a_document() {
    // One sentence that is longer than an excerpt may be, and a text of which excerpts are made.
    let boats = " and international transportation organizations".repeat(10);
    let long = format!("The ferry of Leeds was served by the boats of Carl Hope{boats}.");
    let prose = "The ferry of Leeds left at noon. The owner of the ferry of Leeds, Carl Hope, lived beside the river. It rained \
                 on most days of the year. Those who crossed the river by the ferry of Leeds paid a penny, and their carts paid \
                 two. The boats of the ferry were tarred in spring. The ferry of Leeds ended when the bridge was built.";
    let more = vec![("list.txt", long.clone()), ("prose.txt", prose.to_owned())];
    let study = Study::of(Script { more, ..Script::default() }).await;
    let shown: Vec<String> = study.asked("turn");
    assert!(shown.iter().any(|text| text.contains("list.txt")), "nobody saw it");
    let texts: Vec<String> =
        DOCUMENTS.iter().map(|(_, text)| (*text).to_owned()).chain([long, prose.to_owned()]).collect();
    let lines = shown.iter().flat_map(|text| text.lines());
    let excerpts: Vec<&str> = lines.filter_map(|line| line.strip_prefix("  excerpt: \"")).collect();
    assert!(excerpts.len() > 5, "{shown:#?}");
    for excerpt in excerpts {
        let excerpt = excerpt.trim_end_matches('"');
        assert!(texts.iter().any(|text| text.contains(excerpt)), "{excerpt}");
    }
    let counts = |one: &Value| one["excerpts_left_out"].as_u64().unwrap_or(0);
    assert_eq!(study.directives().into_iter().map(counts).sum::<u64>(), 0, "excerpts are made of the text");
}
