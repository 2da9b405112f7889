//! What a researcher does with the answers of a model, and what it is shown.

mod history;

use precis_proto::research::{DirectiveStop, SeenDocument, Served};
use precis_proto::task::{EvidenceRow, PlanRow, ToolCall, Turn, TurnDirective, TurnRole};
use precis_text::tokens;

use super::*;

mod greedy;

fn order(searches: u32, calls: u32) -> ResearcherOrder {
    let row = PlanRow {
        id: "q1".into(),
        text: "What is it?".into(),
        answered_when: "w".into(),
        priority: 1,
        after: Vec::new(),
    };
    ResearcherOrder {
        directive: TurnDirective {
            id: "r1.d1".into(),
            topic: "The topic".into(),
            sub_questions: vec![row],
            ..TurnDirective::default()
        },
        brief: "b".into(),
        today: "2026-11-23".into(),
        earlier: Vec::new(),
        seen: Vec::new(),
        asked: vec!["Asked before".into()],
        searches,
        calls,
        window: 100_000,
    }
}

fn search(queries: &[&str]) -> ToolCall {
    ToolCall::Search { queries: queries.iter().map(|&q| q.to_owned()).collect() }
}

fn read(address: &str) -> ToolCall {
    ToolCall::Read { addresses: vec![address.to_owned()] }
}

fn think() -> ToolCall {
    ToolCall::Think { text: "hm".into() }
}

fn complete() -> ToolCall {
    ToolCall::Complete { summary: "done".into() }
}

fn turn(calls: &[ToolCall]) -> Result<Turn, ParseFailure> {
    Ok(Turn { calls: calls.to_vec() })
}

/// Two results that contain the query.
fn two_results(query: &str) -> ActionOutcome {
    let result = |n: usize| ResultView {
        number: format!("{query}{n}"),
        title: format!("About {query}"),
        address: format!("https://{query}.example/{n}"),
        published: String::new(),
        novelty: if n == 1 { Novelty::New } else { Novelty::Related },
        summary: "It says something.".into(),
        text: "A sentence of the text.".into(),
        excerpts: vec!["A sentence of the text.".into(), "Made up.".into()],
    };
    ActionOutcome::Results(SearchResults {
        provider: "corpus".into(),
        served: Served::Paid,
        results: vec![result(1), result(2)],
    })
}

/// Answers every action with an outcome; returns the actions.
fn tell(researcher: &mut Researcher, actions: Vec<Action>) -> Vec<String> {
    let mut done = Vec::new();
    for action in actions {
        match action {
            Action::Search { key, query } => {
                researcher.told(key, two_results(&query));
                done.push(query);
            }
            Action::Read { key, number, address, page } => {
                done.push(format!("{number} {address}"));
                let page = DocumentPage { n: page.unwrap_or(2), of: 3, text: "A passage.".into() };
                researcher.told(key, ActionOutcome::Text { number, page });
            }
        }
    }
    done
}

/// Plays `turns`; returns the actions of each.
fn play(researcher: &mut Researcher, turns: &[&[ToolCall]]) -> Vec<Vec<String>> {
    let mut done = Vec::new();
    for calls in turns {
        assert!(researcher.next_task().is_some(), "it goes on");
        let actions = researcher.answered(turn(calls));
        done.push(tell(researcher, actions));
    }
    done
}

fn last_result(researcher: &mut Researcher) -> String {
    let task = researcher.next_task().expect("it goes on");
    let result = task.messages.iter().rev().find(|message| message.role == TurnRole::Result);
    result.map(|message| message.text.clone()).unwrap_or_default()
}

#[test]
fn a_directive_searches_thinks_reads_and_completes() {
    let mut researcher = Researcher::new(order(5, 10));
    let done = play(
        &mut researcher,
        &[
            &[search(&["a", "b"])],
            &[think(), read("a1"), read("https://b.example/2")],
            &[search(&["c"])],
            &[complete()],
        ],
    );
    assert_eq!(done[0], ["a", "b"]);
    assert_eq!(done[1], ["a1 https://a.example/1", "b2 https://b.example/2"]);
    assert_eq!((done[2].clone(), researcher.finished()), (vec!["c".to_owned()], Some(DirectiveStop::Complete)));
    assert!(researcher.next_task().is_none());
    let record = researcher.into_record();
    assert_eq!((record.turns, record.tool_calls, record.queries.len(), record.reads.len()), (4, 5, 3, 2));
    assert_eq!((record.summary.as_str(), record.excerpts_left_out), ("done", 6));
    let query = &record.queries[0];
    assert_eq!((query.n, query.hits, query.new, query.related, query.duplicate), (1, 2, 1, 1, 0));
    assert!(record.reads.iter().all(|read| read.is_read) && record.notes.contains("A passage."));
}

#[test]
fn a_second_search_without_a_thought_between_is_answered_and_not_charged() {
    let mut researcher = Researcher::new(order(5, 10));
    let done = play(&mut researcher, &[&[search(&["a"])], &[search(&["b"])]]);
    assert_eq!((done[1].len(), researcher.calls), (0, 1));
    assert!(last_result(&mut researcher).starts_with("Reflect first"));
    // Nor within one turn, since the results were not seen yet.
    let done = play(&mut researcher, &[&[think(), search(&["b"]), think(), search(&["c"])]]);
    assert_eq!((done[0].clone(), researcher.calls), (vec!["b".to_owned()], 2));
}

#[test]
fn a_repeated_query_uses_the_log_then_ends_the_directive() {
    let mut researcher = Researcher::new(order(9, 10));
    let done = play(&mut researcher, &[&[search(&["Who is it?"])], &[think(), search(&["who  is it"])]]);
    assert_eq!((done[1].len(), researcher.calls), (0, 1));
    assert!(last_result(&mut researcher).contains("as query 1: 2 results, 1 new"));
    play(&mut researcher, &[&[think(), search(&["x", "WHO IS IT"])]]);
    assert_eq!(researcher.finished(), Some(DirectiveStop::Loop));
    let record = researcher.into_record();
    let served: Vec<Served> = record.queries.iter().map(|query| query.served).collect();
    assert_eq!((served, record.tool_calls), (vec![Served::Paid, Served::Log, Served::Paid], 2));

    let mut researcher = Researcher::new(order(9, 10));
    assert!(play(&mut researcher, &[&[search(&["asked before"])]])[0].is_empty(), "made earlier in the session");
    play(&mut researcher, &[&[search(&["asked before"])]]);
    assert_eq!(researcher.finished(), Some(DirectiveStop::Loop));
}

#[test]
fn three_thoughts_in_a_row_end_it() {
    for (turns, want) in [
        (vec![vec![think()], vec![think()]], None),
        (vec![vec![think()], vec![think()], vec![think()]], Some(DirectiveStop::Loop)),
        (vec![vec![think(), think(), think()]], Some(DirectiveStop::Loop)),
        (vec![vec![think(), think()], vec![search(&["a"])], vec![think(), think()]], None),
    ] {
        let mut researcher = Researcher::new(order(5, 10));
        let turns: Vec<&[ToolCall]> = turns.iter().map(Vec::as_slice).collect();
        play(&mut researcher, &turns);
        assert_eq!(researcher.finished(), want, "{turns:?}");
    }
}

#[test]
fn completing_at_once_searches_the_topic_first() {
    let mut researcher = Researcher::new(order(5, 10));
    assert_eq!(play(&mut researcher, &[&[complete()]])[0], ["The topic"]);
    assert_eq!(researcher.finished(), None);
    play(&mut researcher, &[&[complete()]]);
    assert_eq!((researcher.finished(), researcher.calls), (Some(DirectiveStop::Complete), 1));
}

#[test]
fn only_what_a_search_has_found_is_read_and_only_once() {
    let mut researcher = Researcher::new(order(5, 10));
    let done = play(
        &mut researcher,
        &[&[read("1")], &[search(&["a"])], &[read("https://evil.example/?q=secret"), read("[a1]")]],
    );
    assert_eq!(done, [vec![], vec!["a".to_owned()], vec!["a1 https://a.example/1".to_owned()]]);
    let done = play(&mut researcher, &[&[read("a1")]]);
    assert!(done[0].is_empty() && last_result(&mut researcher).contains("was read before"));
    play(&mut researcher, &[&[read("https://a.example/1")]]);
    assert_eq!(researcher.finished(), Some(DirectiveStop::Loop));
    let record = researcher.into_record();
    let refused = record.reads.iter().filter(|read| read.failure.as_deref() == Some("no such result")).count();
    assert_eq!((refused, record.tool_calls), (2, 2));
}

#[test]
fn a_first_search_leaves_two_for_after_a_thought() {
    for (searches, calls, made) in
        [(1, 10, 1), (2, 10, 1), (3, 10, 1), (4, 10, 2), (5, 10, 3), (9, 10, 3), (10, 2, 1), (10, 3, 1), (10, 4, 2)]
    {
        let mut researcher = Researcher::new(order(searches, calls));
        let task = researcher.next_task().expect("a first turn");
        let now = task.searches_now as usize;
        assert_eq!(now.min(3), made, "{searches} {calls}");
        let done = play(&mut researcher, &[&[search(&["a", "b", "c"])]]);
        assert_eq!(done[0].len(), made, "{searches} {calls}");
        let task = researcher.next_task().expect("it goes on");
        assert_eq!(task.calls_left, calls - made as u32);
        let told = task.messages.iter().filter(|message| message.text.contains("searches are kept")).count();
        assert_eq!(told > 0, made < 3 && searches.min(calls) > 1, "{searches} {calls}");
    }
    for (searches, calls) in [(0, 10), (10, 0)] {
        let mut researcher = Researcher::new(order(searches, calls));
        assert_eq!((researcher.finished(), researcher.next_task()), (Some(DirectiveStop::Budget), None));
    }
}

#[test]
fn without_searches_a_directive_ends_once_nothing_is_read() {
    let spent: [&[ToolCall]; 5] = [&[search(&["a"])], &[think()], &[search(&["b"])], &[think()], &[search(&["c"])]];
    let all = ["a1", "a2", "b1", "b2", "c1", "c2"];
    let reading: Vec<ToolCall> = all
        .iter()
        .flat_map(|number| [(*number).to_owned(), format!("{number} next"), format!("{number} previous")])
        .map(|address| read(&address))
        .collect();
    for (turns, is_closing) in [
        (vec![], false),
        (vec![search(&["d"])], true),
        (vec![think()], false),
        (vec![think(), think()], true),
        (vec![think(), read("a1"), think()], false),
        (vec![read("nowhere")], true),
        (reading, true),
    ] {
        let mut researcher = Researcher::new(order(3, 40));
        play(&mut researcher, &spent);
        for one in &turns {
            play(&mut researcher, &[std::slice::from_ref(one)]);
        }
        let task = researcher.next_task().expect("a turn");
        let is_told = task.messages.iter().any(|message| message.role == TurnRole::Reminder);
        assert_eq!(is_told, is_closing, "{turns:?}");
        if is_closing {
            play(&mut researcher, &[&[search(&["e"])]]);
            assert_eq!(researcher.finished(), Some(DirectiveStop::Budget));
        }
    }
    let mut researcher = Researcher::new(order(1, 9));
    let actions = researcher.answered(turn(&[search(&["a"])]));
    researcher.told(actions[0].key(), ActionOutcome::Failed("503".into()));
    assert_eq!(researcher.finished(), Some(DirectiveStop::Failed), "there is nothing to sum up");
}

#[test]
fn a_model_that_asks_only_for_the_unavailable_must_complete() {
    let (early, nowhere) = (search(&["b"]), read("nowhere"));
    for (turns, is_closing) in [
        (vec![&early, &early], false),
        (vec![&early, &nowhere], false),
        (vec![&early, &nowhere, &early], true),
        (vec![&early, &think(), &nowhere, &think(), &nowhere], true),
        (vec![&early, &nowhere, &read("a1"), &nowhere, &early], false),
    ] {
        let mut researcher = Researcher::new(order(9, 30));
        play(&mut researcher, &[&[search(&["a"])]]);
        for one in &turns {
            play(&mut researcher, &[std::slice::from_ref(*one)]);
        }
        let task = researcher.next_task().expect("a turn");
        let is_told = task.messages.iter().any(|message| message.text.starts_with("The last calls could not be made."));
        assert_eq!(is_told, is_closing, "{turns:?}");
        if is_closing {
            assert_eq!((task.searches_left, task.calls_left), (0, 0), "nothing is offered that is not done");
            play(&mut researcher, &[std::slice::from_ref(&early)]);
            assert_eq!(researcher.finished(), Some(DirectiveStop::Budget));
        }
    }
}

#[test]
fn an_unreadable_answer_is_requested_twice_more_with_a_reminder() {
    for (failures, want) in [(1, None), (ASKED_AGAIN, None), (ASKED_AGAIN + 1, Some(DirectiveStop::Failed))] {
        let mut researcher = Researcher::new(order(5, 10));
        play(&mut researcher, &[&[search(&["a"])]]);
        let before = researcher.next_task().expect("it goes on").messages;
        for _ in 0..failures {
            assert!(researcher.answered(Err(ParseFailure)).is_empty());
        }
        assert_eq!(researcher.finished(), want, "{failures}");
        if want.is_none() {
            let after = researcher.next_task().expect("it goes on").messages;
            assert_eq!(after[..before.len()], before);
            assert_eq!((after.len(), after[before.len()].role), (before.len() + 1, TurnRole::Reminder));
            play(&mut researcher, &[&[think()]]);
            researcher.answered(turn(&[]));
            researcher.unreadable(3);
            assert_eq!(researcher.finished(), None, "the count starts anew");
            assert_eq!(researcher.into_record().tool_parse_failures, failures + 4);
        }
    }
}

#[test]
fn a_document_is_read_both_ways_without_repeating_a_page() {
    let mut researcher = Researcher::new(order(5, 20));
    play(&mut researcher, &[&[search(&["a"])]]);
    for (address, made, said) in [
        ("a1", 1, "read [a1], page 2 of 3"),
        ("a1 next", 1, "read [a1], page 3 of 3"),
        ("a1 next", 0, "has no such page"),
        ("[a1] previous", 1, "read [a1], page 1 of 3"),
        ("a2 next", 1, "read [a2], page 2 of 3"),
        ("https://a.example/2 previous", 1, "read [a2], page 1 of 3"),
        ("a2 previous", 0, "has no such page"),
    ] {
        let done = play(&mut researcher, &[&[read(address)]]);
        assert_eq!(done[0].len(), made, "{address}");
        let said_now = last_result(&mut researcher);
        assert!(said_now.contains(said), "{address}: {said_now}");
    }
    let record = researcher.into_record();
    let pages: Vec<Option<u32>> = record.reads.iter().map(|one| one.page).collect();
    assert_eq!(pages, [Some(2), Some(3), Some(1), Some(2), Some(1)]);
}

#[test]
fn results_of_earlier_rounds_can_be_read_and_are_reported() {
    let seen = SeenDocument {
        document: "https://old.example/x".into(),
        address: Some("https://old.example/x?y=1".into()),
        number: 4,
        passages: Vec::new(),
    };
    let earlier = vec![EvidenceRow { directive: "r1.w1".into(), text: "Granite is known [4].".into() }];
    let mut researcher = Researcher::new(ResearcherOrder { seen: vec![seen], earlier, ..order(5, 20) });
    assert_eq!(researcher.next_task().expect("a turn").earlier.len(), 1);
    let done = play(&mut researcher, &[&[read("4")]]);
    assert_eq!(done[0], ["4 https://old.example/x?y=1"]);
}

#[test]
fn searches_that_fail_or_find_nothing_say_so_at_the_end() {
    let nothing =
        || ActionOutcome::Results(SearchResults { provider: "p".into(), served: Served::Paid, results: Vec::new() });
    for (outcomes, want) in [
        (vec![ActionOutcome::Failed("503".into()), ActionOutcome::Refused("private".into())], DirectiveStop::Failed),
        (vec![ActionOutcome::Failed("503".into()), nothing()], DirectiveStop::NoResults),
        (vec![two_results("a"), ActionOutcome::Failed("503".into())], DirectiveStop::Complete),
    ] {
        let mut researcher = Researcher::new(order(5, 10));
        let actions = researcher.answered(turn(&[search(&["a", "b"])]));
        assert_eq!(researcher.next_task(), None, "what it asked for is under way");
        for (action, outcome) in actions.iter().zip(outcomes) {
            researcher.told(action.key(), outcome);
        }
        play(&mut researcher, &[&[complete()]]);
        assert_eq!(researcher.finished(), Some(want));
    }
}

#[test]
fn the_order_of_outcomes_changes_nothing() {
    let run = |reversed: bool| {
        let mut researcher = Researcher::new(order(9, 10));
        let mut actions = researcher.answered(turn(&[search(&["a", "b", "c"])]));
        if reversed {
            actions.reverse();
        }
        tell(&mut researcher, actions);
        (researcher.next_task(), researcher.into_record())
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn stopped_from_outside_it_keeps_what_it_has() {
    let mut researcher = Researcher::new(order(5, 10));
    play(&mut researcher, &[&[search(&["a"])]]);
    let actions = researcher.answered(turn(&[think(), search(&["b"])]));
    assert_eq!(actions.len(), 1);
    researcher.stop(DirectiveStop::Time);
    assert_eq!(researcher.finished(), Some(DirectiveStop::Time));
    researcher.told(actions[0].key(), two_results("b"));
    let record = researcher.into_record();
    assert_eq!((record.queries.len(), record.queries[1].hits), (2, 0));
    assert!(record.queries[1].failure.is_some());
}

#[test]
fn earlier_results_are_short_and_pairs_drop_in_small_windows() {
    let mut researcher = Researcher::new(ResearcherOrder { window: 1_000, ..order(9, 9) });
    for query in ["a", "b", "c", "d"] {
        let actions = researcher.answered(turn(&[think(), search(&[query])]));
        let ActionOutcome::Results(mut found) = two_results(query) else { panic!() };
        found.results.iter_mut().for_each(|result| result.summary = "It says something new. ".repeat(10));
        researcher.told(actions[0].key(), ActionOutcome::Results(found));
        let task = researcher.next_task().expect("it goes on");
        let whole = task.messages.iter().filter(|message| message.text.contains("summary:")).count();
        assert_eq!(whole, 1, "the last result alone is whole");
        assert!(task.messages.last().is_some_and(|m| m.text.contains(&format!("search \"{query}\""))));
    }
    researcher.overflowed();
    let task = researcher.next_task().expect("it goes on");
    let thinks = task.messages.iter().filter(|message| message.role == TurnRole::Think).count();
    assert!(thinks >= 2);
    researcher.left_out(&[task.messages[0].n, 99, 0]);
    let record = researcher.into_record();
    let mut numbers: Vec<u32> = record.dropped_messages.iter().map(|dropped| dropped.n).collect();
    assert!(!numbers.is_empty());
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), record.dropped_messages.len(), "each is dropped once");
    assert_eq!(record.overflow_retries, 1);
    assert!(record.notes.contains("search \"a\""), "the notes keep what was dropped");
}

#[test]
fn a_scripted_directive_costs_at_most_half_of_full_history() {
    let mut researcher = Researcher::new(order(10, 10));
    let (mut sent, mut whole) = (0, 0);
    let mut history = 0;
    for n in 0..6 {
        for calls in [vec![search(&[&format!("query {n}")])], vec![think()]] {
            let task = researcher.next_task().expect("it goes on");
            sent += task.messages.iter().map(|message| tokens::count(&message.text)).sum::<u64>();
            whole += history;
            for action in researcher.answered(turn(&calls)) {
                let result = |n: usize| ResultView {
                    number: format!("{n}"),
                    title: format!("A title of result {n}"),
                    address: format!("https://a.example/{n}"),
                    published: String::new(),
                    novelty: Novelty::New,
                    summary: "It says something of the matter that was asked about. ".repeat(6),
                    text: "A sentence of the text.".into(),
                    excerpts: vec!["A sentence of the text.".into()],
                };
                let results: Vec<ResultView> = (0..8).map(result).collect();
                history += tokens::count(&results::render_results("query", &results).text);
                let found = SearchResults { provider: "corpus".into(), served: Served::Paid, results };
                researcher.told(action.key(), ActionOutcome::Results(found));
            }
        }
    }
    assert!(sent * 2 <= whole, "{sent} of {whole} tokens");
}
