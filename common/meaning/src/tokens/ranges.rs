//! Sets of characters, as ranges.

use crate::limits::MAX_RANGES;

/// Ranges of characters, each with its first and its last, that rise and do not touch what is before them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ranges {
    first: Vec<u32>,
    last: Vec<u32>,
}

impl Ranges {
    /// `None` unless there is one last number for each first one, they rise, and there are no more than [`MAX_RANGES`].
    pub fn new(first: Vec<u32>, last: Vec<u32>) -> Option<Self> {
        let are_ordered = first.iter().zip(&last).all(|(first, last)| first <= last);
        let do_rise = last.iter().zip(first.iter().skip(1)).all(|(before, next)| before < next);
        let are_pairs = first.len() == last.len() && first.len() <= MAX_RANGES;
        (are_ordered && do_rise && are_pairs).then_some(Self { first, last })
    }

    /// The characters for which `is_in` holds. `None` if these are more than [`MAX_RANGES`] ranges.
    pub(crate) fn of(is_in: impl Fn(char) -> bool) -> Option<Self> {
        let mut ranges = Self::default();
        let mut before = None;
        for character in (char::MIN..=char::MAX).filter(|character| is_in(*character)) {
            let number = u32::from(character);
            match (before, ranges.last.last_mut()) {
                (Some(before), Some(last)) if before + 1 == number => *last = number,
                _ => {
                    ranges.first.push(number);
                    ranges.last.push(number);
                }
            }
            before = Some(number);
        }
        (ranges.first.len() <= MAX_RANGES).then_some(ranges)
    }

    /// The first character of each range.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// The last character of each range.
    pub fn last(&self) -> &[u32] {
        &self.last
    }

    pub(super) fn has(&self, character: char) -> bool {
        let number = u32::from(character);
        let after = self.first.partition_point(|first| *first <= number);
        after.checked_sub(1).is_some_and(|at| number <= self.last[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_characters_it_was_made_of() {
        let ranges = Ranges::of(|character| matches!(character, 'b'..='d' | 'f')).expect("few");
        assert_eq!((ranges.first(), ranges.last()), (&[0x62, 0x66][..], &[0x64, 0x66][..]));
        let found: String = ('a'..='g').filter(|character| ranges.has(*character)).collect();
        assert_eq!(found, "bcdf");
    }

    #[test]
    fn ranges_that_do_not_rise_are_refused() {
        for (first, last) in [(vec![2], vec![1]), (vec![1, 3], vec![3, 4]), (vec![5, 1], vec![6, 2]), (vec![1], vec![])]
        {
            assert_eq!(Ranges::new(first, last), None);
        }
        assert!(Ranges::new(vec![1, 4], vec![3, 4]).is_some());
    }

    #[test]
    fn there_are_at_most_so_many_ranges() {
        for (count, is_fine) in [(MAX_RANGES - 1, true), (MAX_RANGES, true), (MAX_RANGES + 1, false)] {
            let numbers: Vec<u32> = (0..count as u32).map(|at| at * 2).collect();
            assert_eq!(Ranges::new(numbers.clone(), numbers).is_some(), is_fine, "{count}");
            assert_eq!(
                Ranges::of(|at| u32::from(at) < count as u32 * 2 && u32::from(at).is_multiple_of(2)).is_some(),
                is_fine
            );
        }
    }
}
