//! Raw notes added to the findings of a report, as far as room is left.

use crate::truncate;
use crate::truncate::Count;

/// Share of a window, in percent, above which free room is used for raw notes.
pub const FREE_PERCENT: u64 = 10;
/// Most of a window that raw notes take, in percent.
pub const SUPPLEMENT_PERCENT: u64 = 25;
/// Share of the free room that stays free, in percent: joined pieces cost more than their parts.
const SPARED_PERCENT: u64 = 10;
/// Most tokens of the mark above a note.
const MARK_TOKENS: u64 = 24;
/// Least tokens of a truncated note; a shorter beginning is useless. Chosen, not measured.
const LEAST_TOKENS: u64 = 32;

/// The beginnings of `notes` that a call has room for, each cut after a sentence or word. Empty unless more than [`FREE_PERCENT`] of its
/// `window` is `free`; else at most [`SUPPLEMENT_PERCENT`] of it, in equal shares. What a short note leaves goes to longer ones.
pub(super) fn supplement(notes: &[String], window: u64, free: u64, count: Count<'_>) -> Vec<String> {
    let share = |percent: u64| window / 100 * percent + window % 100 * percent / 100;
    if free <= share(FREE_PERCENT) {
        return Vec::new();
    }
    let mut left = share(SUPPLEMENT_PERCENT).min(free - free * SPARED_PERCENT / 100);
    let mut order: Vec<usize> = (0..notes.len()).collect();
    order.sort_by_key(|at| notes[*at].len());
    let mut kept: Vec<(usize, String)> = Vec::new();
    for (n, at) in order.into_iter().enumerate() {
        let allowed = (left / (notes.len() - n) as u64).saturating_sub(MARK_TOKENS);
        let note = notes[at].trim();
        let begun = truncate::prefix(note, allowed, count);
        let cost = count(begun);
        if begun.is_empty() || (begun.len() < note.len() && cost < LEAST_TOKENS) {
            continue;
        }
        left -= cost + MARK_TOKENS;
        kept.push((at, begun.to_owned()));
    }
    kept.sort_by_key(|(at, _)| *at);
    kept.into_iter().map(|(_, note)| note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> u64 {
        text.split_whitespace().count() as u64
    }

    fn note(words: usize) -> String {
        vec!["word"; words].join(" ")
    }

    #[test]
    fn notes_take_at_most_a_quarter_of_a_sufficiently_free_window() {
        for (free, some) in [(0, false), (99, false), (100, false), (101, true), (1_000, true)] {
            let kept = supplement(&[note(2_000)], 1_000, free, &words);
            assert_eq!(!kept.is_empty(), some, "{free}");
            let cost: u64 = kept.iter().map(|note| words(note) + MARK_TOKENS).sum();
            assert!(cost <= 250 && cost <= free, "{free}: {cost}");
        }
        for (length, kept) in [(225, 225), (226, 226), (227, 226)] {
            assert_eq!(words(&supplement(&[note(length)], 1_000, 1_000, &words)[0]), kept, "{length}");
        }
    }

    #[test]
    fn what_short_notes_leave_goes_to_long_ones_and_their_order_stays() {
        let notes = [note(900), note(10), note(900)];
        let kept: Vec<u64> = supplement(&notes, 1_000, 1_000, &words).iter().map(|note| words(note)).collect();
        assert_eq!(kept, [84, 10, 84]);
        let many = supplement(&vec![note(900); 20], 1_000, 1_000, &words);
        assert!(!many.is_empty() && many.len() < 20, "a few words of each say nothing");
        assert!(many.iter().all(|note| words(note) >= LEAST_TOKENS));
        assert!(many.iter().map(|note| words(note) + MARK_TOKENS).sum::<u64>() <= 250);
        assert!(supplement(&[], 1_000, 1_000, &words).is_empty());
    }

    #[test]
    fn a_note_is_cut_behind_a_sentence_where_one_ends_near() {
        let text = format!("{} It ends here. And {}", note(60), note(500));
        let kept = supplement(std::slice::from_ref(&text), 400, 400, &words);
        assert!(text.starts_with(&kept[0]) && words(&kept[0]) <= 76, "{kept:?}");
        assert!(kept[0].ends_with("It ends here.") || kept[0].ends_with("word"), "{kept:?}");
    }
}
