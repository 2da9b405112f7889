//! Models that want everything.

use super::*;

/// Random calls of a model that requests everything.
#[test]
fn whatever_a_greedy_model_answers_no_limit_is_passed_and_it_ends() {
    let mut seed = 3_u64;
    let mut dice = |n: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % n
    };
    let mut stops = std::collections::BTreeSet::new();
    for run in 0..1_000 {
        let (searches, calls) = (dice(12) as u32, dice(12) as u32);
        let mut researcher =
            Researcher::new(ResearcherOrder { window: [500, 3_000, 100_000][dice(3)], ..order(searches, calls) });
        let (mut asked, mut made, mut searched, mut closings) = (0, 0, 0, 0);
        while let Some(task) = researcher.next_task() {
            asked += 1;
            assert!(asked <= calls * TURNS_PER_CALL, "{run}: too many turns");
            assert!(task.calls_left <= calls && task.searches_left <= searches);
            let is_closing = task
                .messages
                .iter()
                .any(|message| message.role == TurnRole::Reminder && message.text.contains("Complete the directive"));
            closings += u32::from(is_closing);
            assert!(task.searches_left > 0 || researcher.may_read() || is_closing, "{run}: nothing can be done");
            let kind = dice(10);
            let number = dice(6);
            let calls_made: Vec<ToolCall> = (0..number)
                .map(|_| match (kind, dice(5)) {
                    (0, _) | (_, 0) => think(),
                    (1, _) | (_, 1) => search(&["same again"]),
                    (_, 2) => {
                        let queries: Vec<String> = (0..dice(14)).map(|_| format!("query {}", dice(400))).collect();
                        ToolCall::Search { queries }
                    }
                    (_, 3) => ToolCall::Read {
                        addresses: (0..dice(4)).map(|_| format!("query {}{}", dice(400), 1 + dice(2))).collect(),
                    },
                    _ if kind < 4 => complete(),
                    _ => think(),
                })
                .collect();
            let answer = if dice(6) == 0 { Err(ParseFailure) } else { Ok(Turn { calls: calls_made }) };
            let mut actions = researcher.answered(answer);
            made += actions.len() as u32;
            searched += actions.iter().filter(|action| matches!(action, Action::Search { .. })).count() as u32;
            assert!(made <= calls && searched <= searches, "{run}: {made} of {calls}, {searched} of {searches}");
            if dice(2) == 0 {
                actions.reverse();
            }
            for action in actions {
                match (dice(5), action) {
                    (0, action) => researcher.told(action.key(), ActionOutcome::Failed("503".into())),
                    (1, action) => researcher.told(action.key(), ActionOutcome::Refused("no".into())),
                    (_, Action::Search { key, query }) => researcher.told(key, two_results(&query)),
                    (_, Action::Read { key, number, .. }) => {
                        researcher.told(
                            key,
                            ActionOutcome::Text {
                                number,
                                page: DocumentPage { n: 1, of: 1, text: "A passage.".repeat(dice(3_000)) },
                            },
                        );
                    }
                }
            }
            researcher.told(99_999, two_results("nobody asked"));
            match dice(20) {
                0 => researcher.overflowed(),
                1 => researcher.left_out(&[dice(9) as u32]),
                _ => {}
            }
        }
        let stop = researcher.finished().expect("it has ended");
        assert!(closings <= 1 + ASKED_AGAIN, "{run}: {closings}");
        stops.insert(format!("{stop:?}"));
        let record = researcher.into_record();
        assert_eq!((record.turns, record.tool_calls), (asked, made));
        assert!(record.notes.chars().count() <= MAX_NOTES_CHARS);
        assert!(record.queries.iter().all(|query| query.hits == query.new + query.related + query.duplicate));
        let charged = record.queries.iter().filter(|query| query.served != Served::Log).count();
        assert_eq!(charged as u32, searched);
    }
    for stop in ["Budget", "Complete", "Failed", "Loop"] {
        assert!(stops.contains(stop), "{stop} is reached: {stops:?}");
    }
}
