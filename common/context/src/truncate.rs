//! Cuts a text to a number of tokens, at a nearby sentence or word boundary.

/// Counts the tokens of a text.
pub type Count<'a> = &'a dyn Fn(&str) -> u64;

/// Bytes counted at a time, so that the time is linear in the text kept, not in the whole text.
const BLOCK_BYTES: usize = 2_048;
/// Most bytes to go back to a boundary.
const BOUNDARY_BYTES: usize = 400;

/// A beginning of `text` that costs at most, and about, `allowed` tokens, ending after a nearby sentence or word; empty if nothing fits.
pub(crate) fn prefix<'t>(text: &'t str, allowed: u64, count: Count<'_>) -> &'t str {
    let mut end = 0;
    let mut used = 0;
    while end < text.len() {
        let next = text.floor_char_boundary(end + BLOCK_BYTES).max(next_char(text, end));
        let cost = count(&text[end..next]);
        if used + cost > allowed {
            end += within(&text[end..next], allowed - used, count);
            break;
        }
        (end, used) = (next, used + cost);
    }
    let mut kept = at_boundary(text, end);
    // Joined blocks may cost more than they do separately: shorten until the whole fits.
    loop {
        let tokens = count(kept);
        if tokens <= allowed {
            return kept;
        }
        let share = kept.len() as u64 * allowed / tokens;
        let shorter = kept.floor_char_boundary((share as usize).min(kept.len() - 1));
        kept = at_boundary(kept, shorter);
    }
}

/// Bytes of the longest beginning of a block that costs at most `allowed`, by binary search.
fn within(block: &str, allowed: u64, count: Count<'_>) -> usize {
    let (mut low, mut high) = (0, block.len());
    while low < high {
        let middle = block.floor_char_boundary((low + high).div_ceil(2));
        // No character ends between the two; without this the loop would not end.
        if middle <= low {
            break;
        }
        if count(&block[..middle]) <= allowed {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

fn next_char(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// `text[..end]`, cut back to the end of the last sentence or word within [`BOUNDARY_BYTES`], trimmed.
fn at_boundary(text: &str, end: usize) -> &str {
    let whole = &text[..end];
    if end == text.len() {
        return whole;
    }
    let from = text.floor_char_boundary(end.saturating_sub(BOUNDARY_BYTES));
    let reach = &text[from..end];
    let sentence = reach.rfind(['。', '！', '？']).map(|i| next_char(reach, i));
    let sentence = sentence.max([". ", "! ", "? ", "\n"].iter().filter_map(|s| reach.rfind(s).map(|i| i + 1)).max());
    let word = reach.rfind(char::is_whitespace);
    match sentence.or(word) {
        Some(i) if from + i > 0 => whole[..from + i].trim_end(),
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn o200k(text: &str) -> u64 {
        precis_text::tokens::count(text)
    }

    #[test]
    fn a_prefix_never_costs_more_than_allowed_and_wastes_little() {
        let prose = "The quick brown fox jumps over the lazy dog, twice a day. ".repeat(400);
        let texts =
            [prose.as_str(), &"予算を超える要求は送られない。".repeat(900), &" ".repeat(30_000), &"x9".repeat(9_000)];
        for text in texts {
            for allowed in [0, 1, 15, 16, 17, 500, 2_000, 100_000] {
                let kept = prefix(text, allowed, &o200k);
                assert!(o200k(kept) <= allowed, "{allowed}");
                assert!(text.starts_with(kept));
                if o200k(text) <= allowed {
                    assert_eq!(kept, text);
                }
            }
        }
        assert!(o200k(prefix(&prose, 500, &o200k)) > 480);
    }

    #[test]
    fn a_prefix_ends_behind_a_sentence_or_a_word() {
        let words = |t: &str| t.split_whitespace().count() as u64;
        let cases = [
            ("One two. Three four five.", 4, "One two."),
            ("one two three four", 3, "one two three"),
            ("one two", 2, "one two"),
            ("one two", 0, ""),
        ];
        for (text, allowed, kept) in cases {
            assert_eq!(prefix(text, allowed, &words), kept, "{text} {allowed}");
        }
    }
}
