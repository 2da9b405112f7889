//! Parses the times of day in a sentence.
//!
//! Conservative: a colon between hours and minutes, or a number with a word for a time of day behind it. `9:00` of a score or a ratio has
//! none of the words around it that a sentence about a time has; sentences are compared only if they are the same apart from it.

use std::ops::Range;

use precis_language::calendar::leading_half_of_day;

/// A time of day, in minutes from midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockTime(u32);

/// The times of `sentence`, in order, with their bytes.
pub(super) fn times(sentence: &str) -> Vec<(ClockTime, Range<usize>)> {
    let bytes = sentence.as_bytes();
    let mut found = Vec::new();
    for (colon, _) in sentence.match_indices(':') {
        let from = bytes[..colon].iter().rposition(|b| !b.is_ascii_digit()).map_or(0, |at| at + 1);
        let to = bytes[colon + 1..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |at| colon + 1 + at);
        let (hours, minutes) = (&sentence[from..colon], &sentence[colon + 1..to]);
        // `1:2:3` is a duration or a ratio, `10.5:30` a number.
        let is_alone = !matches!(from.checked_sub(1).map(|at| bytes[at]), Some(b':' | b'.' | b','))
            && !matches!((bytes.get(to), bytes.get(to + 1)), (Some(b':' | b'.'), Some(digit)) if digit.is_ascii_digit());
        if !(1..=2).contains(&hours.len()) || minutes.len() != 2 || !is_alone {
            continue;
        }
        let (Ok(hours), Ok(minutes)) = (hours.parse::<u32>(), minutes.parse::<u32>()) else { continue };
        let (half, end) = half_of_day(sentence, to);
        if hours > 24 || minutes > 59 || (half.is_some() && !(1..=12).contains(&hours)) {
            continue;
        }
        let hours = half.map_or(hours, |later| hours % 12 + later);
        found.push((ClockTime(hours * 60 + minutes), from..end));
    }
    found
}

/// The hours that the half of the day behind `at` adds, and where it ends.
fn half_of_day(sentence: &str, at: usize) -> (Option<u32>, usize) {
    let rest = &sentence[at..];
    let bare = rest.trim_start();
    leading_half_of_day(bare).map_or((None, at), |(hours, len)| (Some(hours), at + (rest.len() - bare.len()) + len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_read_and_nothing_else() {
        for (sentence, want) in [
            ("The office opens at 9:00.", &[540][..]),
            ("It is open from 09:30 to 5:15 pm, daily.", &[570, 1_035]),
            ("Closed from 12:00 a.m. on.", &[0]),
            ("The ratio is 1:2:30, and the text 3:5.", &[]),
            ("At 25:00 or 10:75 or 13:00 pm nothing opens.", &[]),
            ("It took 1:02.5.", &[]),
        ] {
            let found: Vec<u32> = times(sentence).into_iter().map(|(time, _)| time.0).collect();
            assert_eq!(found, want, "{sentence}");
        }
    }
}
