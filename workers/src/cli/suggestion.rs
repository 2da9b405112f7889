//! Suggestions for mistyped commands.

/// Most edits between a word and the command suggested for it.
const MOST_EDITS: usize = 2;

/// Returns the name in `known` closest to `word`, or `None` if none is close: at most two edits, and fewer than half as many
/// edits as the name has characters.
#[must_use]
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let near = known.into_iter().map(|name| (edits(&word, name), name));
    let near = near.filter(|(edits, name)| *edits <= MOST_EDITS && edits * 2 < name.chars().count());
    near.min().map(|(_, name)| name)
}

/// Counts the letters added, removed, changed, or swapped with their neighbour (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = match (i, j) {
                (0, n) | (n, 0) => n,
                _ => {
                    let changed = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let mut least = changed.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                    if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                        least = least.min(table[i - 2][j - 2] + 1);
                    }
                    least
                }
            };
        }
    }
    table[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_similar_command_is_suggested_only_for_a_near_word() {
        let known = ["run", "ask", "verify", "archive", "tokens", "config", "watch", "worker"];
        for (word, meant) in [
            ("rnu", Some("run")),
            ("Run", Some("run")),
            ("runn", Some("run")),
            ("verfy", Some("verify")),
            ("wokrer", Some("worker")),
            ("open", None),
            ("models", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
