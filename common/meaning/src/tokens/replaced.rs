//! Characters that a model knows in another form: full-width letters, ligatures, kinds of space.

use crate::limits::MAX_REPLACEMENT;

/// For some characters what stands for each; sorted by character.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Replaced {
    from: Vec<u32>,
    ends: Vec<u32>,
    to: Vec<u32>,
}

impl Replaced {
    /// `ends` has for each character of `from` where its replacement ends in `to`. `None` unless `from` rises, `ends` grow up to the end
    /// of `to`, every number is a character, and no replacement is longer than [`MAX_REPLACEMENT`].
    pub fn new(from: Vec<u32>, ends: Vec<u32>, to: Vec<u32>) -> Option<Self> {
        let is_sorted = from.is_sorted_by(|a, b| a < b);
        let are_characters = from.iter().chain(&to).all(|number| char::from_u32(*number).is_some());
        let mut start = 0_u32;
        for end in &ends {
            if end.checked_sub(start)? as usize > MAX_REPLACEMENT {
                return None;
            }
            start = *end;
        }
        let is_whole = from.len() == ends.len() && start as usize == to.len();
        (is_sorted && are_characters && is_whole).then_some(Self { from, ends, to })
    }

    /// How many characters are replaced.
    pub fn count(&self) -> usize {
        self.from.len()
    }

    /// The characters that are replaced.
    pub fn from(&self) -> &[u32] {
        &self.from
    }

    /// For each where its replacement ends.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// All replacements.
    pub fn to(&self) -> &[u32] {
        &self.to
    }

    /// The text with each character replaced.
    pub(super) fn apply(&self, text: &str) -> Vec<char> {
        let mut replaced = Vec::with_capacity(text.len());
        for character in text.chars() {
            match self.from.binary_search(&u32::from(character)) {
                Ok(at) => {
                    let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
                    let to = &self.to[start as usize..self.ends[at] as usize];
                    replaced.extend(to.iter().filter_map(|number| char::from_u32(*number)));
                }
                Err(_) => replaced.push(character),
            }
        }
        replaced
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_becomes_several_or_none() {
        let map = Replaced::new(vec![0x00AD, 0xFB01], vec![0, 2], vec![0x66, 0x69]).expect("valid");
        assert_eq!(map.apply("ﬁ\u{ad}x").into_iter().collect::<String>(), "fix");
    }

    #[test]
    fn a_map_that_is_not_one_is_refused() {
        let cases = [
            (vec![2, 1], vec![1, 2], vec![65, 66]),
            (vec![1, 1], vec![1, 2], vec![65, 66]),
            (vec![0xD800], vec![1], vec![65]),
            (vec![1], vec![1], vec![0x11_0000]),
            (vec![1], vec![2], vec![65]),
            (vec![1, 2], vec![1], vec![65]),
            (vec![1, 2], vec![1, 0], vec![]),
        ];
        for (from, ends, to) in cases {
            assert_eq!(Replaced::new(from.clone(), ends, to), None, "{from:?}");
        }
    }

    #[test]
    fn a_replacement_has_at_most_its_limit() {
        for (length, is_fine) in [(MAX_REPLACEMENT - 1, true), (MAX_REPLACEMENT, true), (MAX_REPLACEMENT + 1, false)] {
            assert_eq!(Replaced::new(vec![1], vec![length as u32], vec![65; length]).is_some(), is_fine, "{length}");
        }
    }
}
