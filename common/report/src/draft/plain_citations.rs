//! The citations in a sentence that a model wrote by itself.

/// The sentence without bracketed numbers, with those numbers in order, each once.
pub(crate) fn without_citations(sentence: &str) -> (String, Vec<u32>) {
    let (mut text, mut ids) = (String::with_capacity(sentence.len()), Vec::new());
    let mut rest = sentence;
    while let Some(open) = rest.find('[') {
        let inside = rest[open + 1..].find(']').map(|end| &rest[open + 1..open + 1 + end]);
        let numbers: Option<Vec<u32>> =
            inside.and_then(|inside| inside.split([',', ';']).map(|part| part.trim().parse().ok()).collect());
        match (inside, numbers) {
            (Some(inside), Some(numbers)) => {
                text.push_str(&rest[..open]);
                ids.extend(numbers);
                rest = &rest[open + inside.len() + 2..];
            }
            _ => {
                text.push_str(&rest[..=open]);
                rest = &rest[open + 1..];
            }
        }
    }
    text.push_str(rest);
    let mut known = std::collections::BTreeSet::new();
    ids.retain(|id| known.insert(*id));
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (text.replace(" .", ".").replace(" ,", ","), ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_and_its_citations_are_parted() {
        for (sentence, text, ids) in [
            ("It fell. [3]", "It fell.", &[3][..]),
            ("It fell [3][7]. It rose [3].", "It fell. It rose.", &[3, 7]),
            ("It fell [3, 7].", "It fell.", &[3, 7]),
            ("It [the ice] fell [3]", "It [the ice] fell", &[3]),
            ("It fell [3", "It fell [3", &[]),
            ("", "", &[]),
        ] {
            assert_eq!(without_citations(sentence), (text.to_owned(), ids.to_vec()), "{sentence}");
        }
    }
}
