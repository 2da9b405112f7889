//! How much of what a session may compare by meaning falls to one of its texts.

use precis_proto::job::PlaceAmong;

/// Fewest passages of a text that are compared: of fewer, the nearest says little. Where not every text can have that many, the most
/// promising ones do, and the others none.
const LEAST_PASSAGES: usize = 8;

/// Most passages of a text at `place` that get a vector, where the texts of a session have `all` together.
#[must_use]
pub fn passages_of(all: usize, place: Option<PlaceAmong>) -> usize {
    let Some((n, of)) = place.map(numbers) else { return all };
    match all / of {
        each if each >= LEAST_PASSAGES => each,
        _ if n < all / LEAST_PASSAGES => LEAST_PASSAGES,
        _ => 0,
    }
}

/// Most passages of a batch of `texts` that are compared unit by unit, where a session has `all` for `of` texts; at least one.
#[must_use]
pub fn close_of(all: usize, texts: usize, of: usize) -> usize {
    (all * texts).div_ceil(of.max(1)).min(all)
}

fn numbers(PlaceAmong { n, of }: PlaceAmong) -> (usize, usize) {
    let number = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    (number(n), number(of).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(all: usize, of: u32) -> Vec<usize> {
        (0..of).map(|n| passages_of(all, Some(PlaceAmong { n, of }))).collect()
    }

    #[test]
    fn texts_share_equally_and_the_last_of_too_many_get_nothing() {
        assert_eq!(share(100, 1), [100]);
        assert_eq!(share(100, 3), [33; 3]);
        assert_eq!(share(100, 12), [8; 12]);
        assert_eq!(share(100, 13), [[8; 12].as_slice(), &[0]].concat());
        assert_eq!(passages_of(100, None), 100);
        assert_eq!(passages_of(100, Some(PlaceAmong { n: 0, of: 0 })), 100, "from elsewhere");
    }

    #[test]
    fn a_batch_reads_its_part_of_the_passages_closely() {
        for (texts, of, want) in [(4, 4, 16), (2, 4, 8), (1, 100, 1), (1, 0, 16), (3, 2, 16), (0, 4, 0)] {
            assert_eq!(close_of(16, texts, of), want, "{texts} of {of}");
        }
    }

    #[test]
    fn the_texts_of_a_session_never_have_more_than_it_has() {
        for (all, of) in (0..300).flat_map(|all| (1..60).map(move |of| (all, of))) {
            assert!(share(all, of).iter().sum::<usize>() <= all, "{all} of {of}");
        }
    }
}
