use super::*;

const NONCE: &str = "0123abcd";

fn said_message(role: SpeakerRole, content: impl Into<String>) -> Said {
    Said { role, content: content.into() }
}

/// `n` turns; the question of each is `q0`, `q1`, …, the answer has `words` words.
fn turns(n: usize, words: usize) -> Vec<Said> {
    let turn = |n| {
        let answer = vec!["a"; words].join(" ");
        [said_message(SpeakerRole::User, format!("q{n}")), said_message(SpeakerRole::Assistant, answer)]
    };
    (0..n).flat_map(turn).collect()
}

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

/// Word count of one turn: two marks of three words, a question and its answer.
fn cost(answer: usize) -> u64 {
    3 + 1 + 3 + answer as u64
}

fn fit_history(said: &[Said], budget: u64) -> FittedHistory {
    History::new(said, NONCE, &words).within(budget, &words)
}

#[test]
fn the_oldest_complete_turns_go_first_and_the_latest_stays() {
    // Turns, words of an answer, budget in turns; then turns dropped and whether the latest is cut.
    for (n, answer, budget, dropped, is_cut) in [
        (4, 10, 4 * cost(10), 0, false),
        (4, 10, 4 * cost(10) - 1, 1, false),
        (4, 10, 2 * cost(10), 2, false),
        (4, 10, cost(10), 3, false),
        (4, 10, cost(10) - 1, 3, true),
        (1, 10, cost(10), 0, false),
        (500, 10, u64::MAX, 450, false),
        (50, 10, u64::MAX, 0, false),
        (51, 10, u64::MAX, 1, false),
    ] {
        let kept = fit_history(&turns(n, answer), budget);
        assert_eq!((kept.turns_dropped, kept.is_cut, kept.turns), (dropped, is_cut, n), "{n} turns in {budget}");
        assert!(kept.tokens <= budget && kept.text.contains(&format!("q{}", n - 1)), "{}", kept.text);
        assert_eq!(kept.tokens, words(&kept.text));
    }
}

#[test]
fn a_turn_is_never_split_between_question_and_answer() {
    for budget in 0..200 {
        let kept = fit_history(&turns(6, 20), budget);
        let (asked, answered) = (kept.text.matches("said user").count(), kept.text.matches("said assistant").count());
        assert!(asked == answered || kept.is_cut, "{budget}: {}", kept.text);
        assert!(kept.tokens <= budget);
    }
}

#[test]
fn a_long_answer_is_cut_before_the_question() {
    let said = [
        said_message(SpeakerRole::User, "why is that so"),
        said_message(SpeakerRole::Assistant, "word ".repeat(5_000)),
    ];
    let kept = fit_history(&said, 40);
    assert!(kept.text.contains("why is that so") && kept.text.contains("word word"), "{}", kept.text);
    assert!(kept.tokens <= 40 && kept.is_cut && kept.turns_dropped == 0);
}

#[test]
fn the_question_is_cut_last_in_its_turn() {
    let tool = "found ".repeat(300);
    let answer = "word ".repeat(3_000);
    let turn = [
        said_message(SpeakerRole::User, "why is that so"),
        said_message(SpeakerRole::Tool, tool),
        said_message(SpeakerRole::Assistant, answer),
    ];
    for budget in [7, 12, 40, 100, 300, 450] {
        let kept = fit_history(&turn, budget);
        assert!(kept.tokens <= budget && kept.is_cut, "{budget}");
        assert!(kept.text.contains("why is that so\n"), "{budget}: {}", kept.text);
    }
}

#[test]
fn tool_results_are_shortened_in_any_place() {
    let long = "found ".repeat(500);
    let answer = format!("See <localSearch q=\"a\">{long}</localSearch> and <b>{long}</b> <readNote>short</readNote>");
    let history = [
        said_message(SpeakerRole::User, "q"),
        said_message(SpeakerRole::Tool, &*long),
        said_message(SpeakerRole::Assistant, answer),
    ];
    let kept = fit_history(&history, u64::MAX);
    let found = kept.text.matches("found").count();
    assert!((500..600).contains(&found), "{found}: only what is no tool's is whole");
    for whole in ["</localSearch> and <b>", "<readNote>short</readNote>", "said tool"] {
        assert!(kept.text.contains(whole), "{whole}");
    }
    assert_eq!(kept.results_cut, 2);
    assert!(kept.offered > kept.tokens + 900, "what was cut is known: {} of {}", kept.tokens, kept.offered);
}

#[test]
fn an_element_that_is_never_closed_is_text() {
    for text in ["a <localSearch> b", "<localSearch", "<<<localSearch>", "a < b", "<readNote></readNote>"] {
        assert_eq!(without_results(text), text);
    }
}

#[test]
fn requests_before_the_first_question_are_their_own_turn() {
    let history = [
        said_message(SpeakerRole::Assistant, "welcome"),
        said_message(SpeakerRole::User, "q"),
        said_message(SpeakerRole::User, "r"),
    ];
    assert_eq!(fit_history(&history, u64::MAX).turns, 3);
    assert_eq!(fit_history(&[], 10), FittedHistory::default());
    assert_eq!(fit_history(&[said_message(SpeakerRole::User, " \n")], 10), FittedHistory::default());
}

#[test]
fn a_whole_history_loses_nothing_where_its_turns_cost_less_together() {
    let rounded_up = |text: &str| (text.len() as u64).div_ceil(7);
    let said = turns(9, 3);
    let within = |budget| History::new(&said, NONCE, &rounded_up).within(budget, &rounded_up);
    let whole = within(1_000);
    assert_eq!((whole.offered, whole.turns_dropped), (whole.tokens, 0));
    let cut = within(whole.tokens - 1);
    assert!(cut.turns_dropped > 0 && cut.offered > cut.tokens, "{cut:?}");
}

#[test]
fn a_result_keeps_the_latest_hundred_messages_with_what_tools_returned_shortened() {
    let message = |n: usize| said_message([SpeakerRole::User, SpeakerRole::Assistant][n % 2], format!("m{n}"));
    for (given, kept) in [(0, 0), (1, 1), (99, 99), (100, 100), (101, 100), (500, 100)] {
        let history: Vec<Said> = (0..given).map(message).collect();
        assert_eq!(compacted_history(&history), history[given - kept..], "{given}");
    }
    let long = "found ".repeat(500);
    let answer = format!("See <tool_result>{long}</tool_result> {long}");
    let kept =
        compacted_history(&[said_message(SpeakerRole::Tool, &*long), said_message(SpeakerRole::Assistant, answer)]);
    assert!(
        kept[0].content.starts_with("found") && kept[0].content.chars().count() <= TOOL_RESULT_CHARS,
        "{}",
        kept[0].content
    );
    assert!(kept[1].content.ends_with(&long) && kept[1].content.len() < long.len() + 300, "{}", kept[1].content.len());
}
