//! Which cues form one paragraph: the pauses between them are measured, since no mark says where a paragraph ends.

use super::super::plain;
use super::cues::Cue;

/// A pause ends a paragraph if it is this many times as long as the pause in the middle of all pauses of the file.
const LONG_PAUSES: u64 = 3;
/// No shorter pause ends a paragraph, in milliseconds. Chosen: breath between two sentences takes about one second.
const MIN_PAUSE_MS: u64 = 1_500;
/// A paragraph ends at the next end of a sentence once it has this many characters, so that its time says where to listen. Chosen.
const FULL_CHARS: usize = 600;

/// The indices of the cues that begin a paragraph, in order.
pub(super) fn paragraph_starts(cues: &[Cue]) -> Vec<usize> {
    let pause = |at: usize| cues[at].start_ms.saturating_sub(cues[at - 1].end_ms);
    let mut pauses: Vec<u64> = (1..cues.len()).map(pause).collect();
    pauses.sort_unstable();
    // One or two pauses have no middle that another could be longer than.
    let usual = if pauses.len() > 2 { pauses[pauses.len() / 2] } else { 0 };
    let long = usual.saturating_mul(LONG_PAUSES).max(MIN_PAUSE_MS);
    let mut starts: Vec<usize> = Vec::new();
    let mut chars = 0;
    for (at, cue) in cues.iter().enumerate() {
        let begins = at == 0
            || cue.speaker != cues[at - 1].speaker
            || pause(at) > long
            || (chars >= FULL_CHARS && plain::ends_text(&cues[at - 1].words));
        if begins {
            starts.push(at);
            chars = 0;
        }
        chars += cue.words.chars().count();
    }
    starts
}

/// `cues` without the lines that a rolling caption shows again: the first lines of a cue that are the last ones of the cue before.
pub(super) fn without_repetitions(cues: Vec<Cue>) -> Vec<Cue> {
    let mut kept: Vec<Cue> = Vec::with_capacity(cues.len());
    let mut shown: Vec<String> = Vec::new();
    for cue in cues {
        let lines: Vec<String> =
            cue.words.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect();
        // What is shown again after it was gone is said again.
        let adjoins = kept.last().is_some_and(|before| cue.start_ms <= before.end_ms.saturating_add(100));
        let most = if adjoins { lines.len().min(shown.len()) } else { 0 };
        let repeated = (1..=most).rev().find(|n| shown.ends_with(&lines[..*n])).unwrap_or(0);
        let new = lines[repeated..].join("\n");
        shown = lines;
        match kept.last_mut() {
            Some(before) if new.is_empty() => before.end_ms = before.end_ms.max(cue.end_ms),
            _ => kept.push(Cue { words: new, ..cue }),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cue(start_ms: u64, end_ms: u64, words: &str) -> Cue {
        Cue { start_ms, end_ms, speaker: None, words: words.to_owned() }
    }

    #[test]
    fn a_pause_longer_than_usual_ends_a_paragraph() {
        for (pause, starts) in [(MIN_PAUSE_MS - 1, 1), (MIN_PAUSE_MS, 1), (MIN_PAUSE_MS + 1, 2)] {
            let cues =
                [cue(0, 900, "a"), cue(1_000, 1_900, "b"), cue(2_000, 2_900, "c"), cue(2_900 + pause, 9_000, "d")];
            assert_eq!(paragraph_starts(&cues).len(), starts, "{pause}");
        }
        let slow = [cue(0, 100, "a"), cue(2_100, 2_200, "b"), cue(4_200, 4_300, "c"), cue(6_300, 6_400, "d")];
        assert_eq!(paragraph_starts(&slow), [0]);
    }

    #[test]
    fn a_long_paragraph_ends_with_a_sentence() {
        let cues =
            |chars: usize| [cue(0, 1, &format!("{}.", "x".repeat(chars - 1))), cue(1, 2, "and"), cue(2, 3, "more")];
        for (chars, starts) in [(FULL_CHARS - 1, 1), (FULL_CHARS, 2), (FULL_CHARS + 1, 2)] {
            assert_eq!(paragraph_starts(&cues(chars)).len(), starts, "{chars}");
        }
    }

    #[test]
    fn lines_of_a_rolling_caption_are_said_once() {
        let found = without_repetitions(vec![
            cue(0, 10, "we do"),
            cue(10, 11, "we do\nnot agree"),
            cue(11, 12, "not agree"),
            cue(12, 13, "not agree\nNo."),
            cue(5_000, 5_001, "No."),
        ]);
        let words: Vec<&str> = found.iter().map(|cue| cue.words.as_str()).collect();
        assert_eq!(words, ["we do", "not agree", "No.", "No."]);
    }
}
