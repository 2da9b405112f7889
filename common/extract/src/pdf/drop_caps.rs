//! Joins a drop capital with the word it begins.

use super::words::LineWord;

/// Least size of a drop capital, relative to the text beside it.
const LARGE: f64 = 1.8;
/// Height of a capital above its baseline, in ems.
const CAPITAL_EM: f64 = 0.7;
/// Largest difference, in ems of the text, of the tops of the capital and of the line it begins.
const TOP_EM: f64 = 0.5;
/// Largest distance, in ems of the text, from the capital to its word.
const GAP_EM: f64 = 1.2;
/// Most capitals looked for on a page; limits the work.
const MAX_CAPITALS: usize = 64;

/// Moves each drop capital into its word, which stands beside its top while the capital reaches down to a later line.
pub(super) fn join(words: &mut Vec<LineWord>) {
    let is_capital = |word: &LineWord| word.len == 1 && word.text.chars().all(char::is_uppercase);
    let capitals: Vec<usize> = (0..words.len()).filter(|at| is_capital(&words[*at])).take(MAX_CAPITALS).collect();
    let mut joined: Vec<usize> = Vec::new();
    for at in capitals {
        let nearest = |a: &usize, b: &usize| words[*a].u0.total_cmp(&words[*b].u0);
        let Some(to) = (0..words.len()).filter(|to| begins(&words[at], &words[*to])).min_by(nearest) else {
            continue;
        };
        let is_word = is_word_alone(words, at, to);
        let capital = words[at].text.clone();
        let word = &mut words[to];
        word.text = if is_word { format!("{capital} {}", word.text) } else { format!("{capital}{}", word.text) };
        word.len = word.text.chars().count();
        joined.push(at);
    }
    joined.iter().rev().for_each(|at| drop(words.remove(*at)));
}

/// Whether `word` goes on behind the drop capital `capital`.
fn begins(capital: &LineWord, word: &LineWord) -> bool {
    let gap = word.u0 - capital.u1;
    let tops = (capital.v - CAPITAL_EM * capital.em) - (word.v - CAPITAL_EM * word.em);
    capital.em >= LARGE * word.em
        && (-0.2 * word.em..=GAP_EM * word.em).contains(&gap)
        && tops.abs() <= TOP_EM * word.em
        && capital.v > word.v + 0.5 * word.em
        && word.text.starts_with(char::is_alphabetic)
}

/// Whether the capital is a word of its own: the page has the rest elsewhere, but not both together.
fn is_word_alone(words: &[LineWord], at: usize, to: usize) -> bool {
    let rest = words[to].text.to_lowercase();
    let whole = format!("{}{rest}", words[at].text.to_lowercase());
    let has = |text: &str| words.iter().enumerate().any(|(k, word)| k != to && word.text.to_lowercase() == text);
    has(&rest) && !has(&whole)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::word;
    use super::*;

    fn joined(mut words: Vec<LineWord>) -> Vec<String> {
        join(&mut words);
        words.into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn a_drop_capital_is_the_first_letter_of_its_word() {
        let lines = |first: &str, second: &str| {
            vec![word("T", 0.0, 30.0, 30.0), word(first, 17.0, 16.0, 10.0), word(second, 17.0, 28.0, 10.0)]
        };
        assert_eq!(joined(lines("he", "harbour")), ["The", "harbour"]);
        assert_eq!(joined(lines("harbour", "harbour")), ["T harbour", "harbour"]);
    }

    #[test]
    fn a_large_letter_on_the_line_of_the_text_stays() {
        assert_eq!(joined(vec![word("A", 0.0, 20.0, 20.0), word("heading", 12.0, 20.0, 10.0)]), ["A", "heading"]);
    }
}
