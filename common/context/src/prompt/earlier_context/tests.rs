use precis_proto::prior::{PriorBlock, Said, SpeakerRole};

use super::*;

const NONCE: &str = "0123abcd";

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

fn text(words: usize) -> String {
    vec!["word"; words].join(" ")
}

fn prior(project: usize, blocks: usize, turns: usize) -> Prior {
    let turn = |n: usize| {
        let said = |role, content| Said { role, content };
        [said(SpeakerRole::User, format!("question {n}")), said(SpeakerRole::Assistant, text(40))]
    };
    Prior {
        project_context: text(project),
        context: (0..blocks).map(|n| PriorBlock { title: format!("Block {n}"), text: text(40) }).collect(),
        history: (0..turns).flat_map(turn).collect(),
    }
}

fn fit(prior: &Prior, room: u64, evidence: u64) -> EarlierContext {
    EarlierContext::fit(prior, NONCE, room, evidence, evidence.min(16), &words)
}

fn total(earlier: &EarlierContext) -> u64 {
    [&earlier.project, &earlier.carried, &earlier.history, &earlier.notice].iter().map(|t| words(t)).sum()
}

#[test]
fn everything_is_sent_where_there_is_room() {
    let earlier = fit(&prior(100, 3, 4), 10_000, 500);
    assert!(earlier.warnings().is_empty(), "{:?}", earlier.warnings());
    assert_eq!(earlier.blocks, EarlierBlocks { all: 3, sent: 3, reduced: 0, cut: 0 });
    assert_eq!(earlier.turns.turns_dropped, 0);
    let rows = earlier.rows(50, 10_000);
    assert_eq!(rows.iter().map(|r| r.layer.as_str()).collect::<Vec<_>>(), ["L1", "L2", "L4"]);
    assert!(rows.iter().all(|row| row.dropped == 0), "{rows:?}");
}

#[test]
fn what_is_sent_as_previews_is_recorded_as_cut() {
    let long = PriorBlock { title: "Long".into(), text: text(10_000) };
    let tool = Said { role: SpeakerRole::Tool, content: text(500) };
    for (context, history, layer) in [(vec![long], Vec::new(), "L2"), (Vec::new(), vec![tool], "L4")] {
        let prior = Prior { context, history, ..Prior::default() };
        let earlier = fit(&prior, 100_000, 100);
        let rows = earlier.rows(50, 100_000);
        let row = rows.iter().find(|row| row.layer.as_str() == layer).expect("in use");
        assert!(row.dropped > 400 && row.kept > 0 && row.kept + row.dropped == row.estimated, "{row:?}");
        assert_eq!(earlier.warnings().iter().map(|w| w.code).collect::<Vec<_>>(), [WarningCode::ContentTruncated]);
    }
}

#[test]
fn old_turns_yield_to_evidence_and_the_latest_does_not() {
    // Room, evidence offered; then turns kept of ten.
    for (room, evidence, turns) in [(2_000, 0, 10), (2_000, 1_600, 7), (2_000, 5_000, 1), (400, 5_000, 1)] {
        let earlier = fit(&prior(0, 0, 10), room, evidence);
        let kept = 10 - earlier.turns.turns_dropped;
        assert_eq!(kept, turns, "{evidence} of evidence in {room}");
        assert!(earlier.history.contains("question 9"));
        assert_eq!(kept < 10, earlier.warnings().iter().any(|w| w.code == WarningCode::ContentDropped));
    }
}

#[test]
fn a_background_takes_what_the_others_leave_and_never_what_they_need() {
    // Evidence, turns; then the words of background at least and at most, in a room of 2,000.
    for (evidence, turns, least, most) in [(0, 0, 1_900, 2_000), (600, 2, 1_150, 1_300), (5_000, 2, 900, 1_000)] {
        let earlier = fit(&prior(500_000, 0, turns), 2_000, evidence);
        let sent = words(&earlier.project);
        assert!((least..=most).contains(&sent), "{sent} of background beside {evidence} of evidence");
        assert_eq!(turns > 0, earlier.history.contains("question 1"), "the latest turn stays");
        assert_eq!(earlier.warnings()[0].code, WarningCode::ContentTruncated);
    }
}

#[test]
fn an_oversized_piece_does_not_exclude_smaller_ones_after_it() {
    let sections: Vec<String> = (0..60).map(|n| format!("# Section {n}\n\n{}", text(90))).collect();
    let large = || PriorBlock { title: "Large".into(), text: sections.join("\n\n") };
    let small = |n| PriorBlock { title: format!("Small {n}"), text: "A short earlier text.".into() };
    let prior = Prior { context: vec![small(1), large(), small(2)], ..Prior::default() };
    // Room; then pieces sent and begun.
    for (room, sent, cut) in [(40_000, 3, 0), (2_000, 3, 1), (70, 2, 0)] {
        let earlier = fit(&prior, room, 0);
        assert_eq!((earlier.blocks.sent, earlier.blocks.cut), (sent, cut), "{room}");
        let at = |title: &str| earlier.carried.find(title);
        assert!(at("Small 1").is_some() && at("Small 1") < at("Small 2"), "{room}");
        assert!(cut == 0 || at("Large") < at("Small 2") && total(&earlier) > 1_850, "{room}: {}", total(&earlier));
        let codes: Vec<WarningCode> = earlier.warnings().iter().map(|w| w.code).collect();
        assert_eq!(codes.contains(&WarningCode::ContentDropped), sent < 3, "{codes:?}");
        assert_eq!(codes.contains(&WarningCode::ContentTruncated), sent == 3, "{codes:?}");
    }
}

#[test]
fn nothing_is_cut_while_room_stays_empty() {
    for project in [0, 10, 700, 5_000] {
        for blocks in [0, 1, 7, 60] {
            for turns in [0, 1, 30] {
                for room in [60, 200, 1_000, 2_500, 9_000] {
                    for evidence in [0, 5, 300, 1_500, 100_000] {
                        let prior = prior(project, blocks, turns);
                        let earlier = fit(&prior, room, evidence);
                        let least = evidence.min(16);
                        let slack = SLACK.0 + room / SLACK.1 + words(&earlier.notice);
                        let usable = room.saturating_sub(slack).saturating_sub(least);
                        let left = usable.saturating_sub(total(&earlier) - words(&earlier.notice));
                        let empty = left.saturating_sub(evidence - least);
                        // What would have been sent next: a word or two of background, a block or its beginning, a turn.
                        let mut next = Vec::new();
                        next.extend((earlier.project_tokens.1 < earlier.project_tokens.0).then_some(24));
                        next.extend((earlier.blocks.sent < earlier.blocks.all).then_some(4 + MIN_BEGINNING_TOKENS + 2));
                        next.extend((earlier.turns.turns_dropped > 0).then_some(48));
                        assert!(
                            next.iter().all(|next| empty < *next),
                            "{empty} of {room} empty beside {evidence}, {project} {blocks} {turns}: {:?}",
                            earlier.warnings()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn the_sent_context_always_fits_with_the_least_evidence() {
    for project in [0, 10, 5_000] {
        for blocks in [0, 1, 60] {
            for turns in [0, 1, 30] {
                for room in [0, 10, 60, 200, 1_000, 9_000] {
                    for evidence in [0, 5, 300, 100_000] {
                        let prior = prior(project, blocks, turns);
                        let earlier = fit(&prior, room, evidence);
                        let least = evidence.min(16);
                        let sent = total(&earlier) - words(&earlier.notice);
                        assert!(sent + least <= room.max(least), "{sent} and {least} in {room}: {prior:?}");
                        assert!(earlier.rows(0, room).iter().all(|r| r.kept + r.dropped == r.estimated));
                    }
                }
            }
        }
    }
}

#[test]
fn an_independent_session_carries_nothing_of_it() {
    let earlier = fit(&Prior::default(), 1_000, 10);
    assert_eq!((total(&earlier), earlier.rows(7, 1_000).len()), (0, 1));
}
