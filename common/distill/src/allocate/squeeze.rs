//! Fair shares, where even the least that sources must get is too much.

use super::item::Item;
use super::ladder::{Ladder, MIN_SHARE_TOKENS};

/// Shares `budget` among the sources that must be kept: protected ones first, and among them the small ones first, so that no
/// large source starves the others. Who cannot get a useful share is left out; a digest is carried whole or not at all.
pub(super) fn squeeze(order: &[&Item], ladders: &mut [Ladder], budget: u64) {
    let kept: Vec<usize> = (0..order.len()).filter(|place| ladders[*place].floor_tokens() > 0).collect();
    let (protected, others): (Vec<usize>, Vec<usize>) = kept.into_iter().partition(|place| order[*place].protected);
    let left = share_out(order, ladders, protected, budget);
    share_out(order, ladders, others, left);
}

fn share_out(order: &[&Item], ladders: &mut [Ladder], mut places: Vec<usize>, budget: u64) -> u64 {
    places.sort_by_key(|place| (ladders[*place].floor_tokens(), *place));
    let mut left = budget;
    let mut waiting = places.len() as u64;
    for place in places {
        // A share that holds no passage helps nobody: better the last ones get none.
        let fair = (left / waiting).max(MIN_SHARE_TOKENS.min(left));
        waiting -= 1;
        let wanted = ladders[place].floor_tokens();
        if wanted > fair {
            if fair < MIN_SHARE_TOKENS || order[place].is_digest {
                ladders[place].floor = 0;
            } else {
                ladders[place].allow_cut(order[place], fair);
            }
        }
        left -= ladders[place].floor_tokens();
    }
    left
}
