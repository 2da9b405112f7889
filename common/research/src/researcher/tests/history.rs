//! What a directive costs beside a loop that sends its whole history in every turn.

use precis_context::prompt::{Attempt, Limits, prepare};
use precis_proto::task::Task;

use super::*;

/// Results of a search, as a search provider gives them.
const RESULTS: usize = 10;

/// Words that differ from one place to the next.
fn words(seed: usize, count: usize) -> String {
    const WORDS: [&str; 16] = [
        "granite", "river", "the", "measured", "of", "a", "surface", "cools", "slowly", "below", "and", "crystal",
        "was", "found", "in", "1932",
    ];
    (0..count).map(|n| WORDS[(seed * 7 + n * n + n / 3) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

fn results(query: &str, seed: usize) -> ActionOutcome {
    let result = |n: usize| {
        let excerpt = words(seed + n, 60);
        ResultView {
            number: format!("{}", seed * RESULTS + n),
            title: words(seed + n, 8),
            address: format!("https://{query}.example/{n}/granite-and-rivers"),
            published: String::new(),
            novelty: Novelty::New,
            summary: words(seed + n + 5, 35),
            text: excerpt.clone(),
            excerpts: vec![excerpt],
        }
    };
    ActionOutcome::Results(SearchResults {
        provider: "web".into(),
        served: Served::Paid,
        results: (1..=RESULTS).map(result).collect(),
    })
}

/// Tokens of one request.
fn sent(task: TurnTask) -> u64 {
    let limits = Limits::default().with_window("fake:m", 128_000);
    prepare(&Task::Turn(task), "fake:m", &limits, &Attempt::default(), &tokens::count).expect("fits").input_tokens
}

/// Six searches with a thought before each further one, four readings of a page, and the end: ten charged calls in eleven turns.
#[test]
fn a_directive_of_ten_calls_sends_at_most_half_the_history() {
    let mut researcher = Researcher::new(order(20, 10));
    let thought = |n: usize| ToolCall::Think { text: format!("{} [{n}] is worth reading.", words(n, 40)) };
    let mut turns: Vec<Vec<ToolCall>> = (0..6).map(|n| vec![thought(n), search(&[&format!("query{n}")])]).collect();
    turns.extend((0..4).map(|n| vec![thought(n), read(&format!("{}", n * RESULTS + 1))]));
    turns.push(vec![complete()]);
    let (mut own, mut whole) = (0, 0);
    for (n, calls) in turns.iter().enumerate() {
        let task = researcher.next_task().expect("it goes on");
        let bare = sent(TurnTask { messages: Vec::new(), ..task.clone() });
        let history: u64 = researcher.course.all().map(|(_, _, text)| tokens::count(text)).sum();
        own += sent(task);
        whole += bare + history;
        for action in researcher.answered(turn(calls)) {
            match action {
                Action::Search { key, query } => researcher.told(key, results(&query, n)),
                Action::Read { key, number, .. } => {
                    let text = (0..3).map(|part| words(n + part, 150)).collect::<Vec<_>>().join("\n");
                    let page = DocumentPage { n: 1, of: 2, text };
                    researcher.told(key, ActionOutcome::Text { number, page });
                }
            }
        }
    }
    assert_eq!(researcher.finished(), Some(DirectiveStop::Complete));
    println!("{own} tokens in {} turns, {whole} with the whole history: {:.2}", turns.len(), own as f64 / whole as f64);
    assert!(2 * own <= whole, "{own} of {whole}");
}
