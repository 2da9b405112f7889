//! Which walls stand around a child, as the child itself found when it built them.

use std::fmt;

/// What is in force in a child, beside the limits of its resources, without which it does not start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Walls {
    /// System calls outside a short list end it (seccomp).
    pub filter: bool,
    /// No file, no port and no signal beyond itself (Landlock).
    pub landlock: bool,
    /// User, network, IPC and host name of its own, all empty.
    pub namespaces: bool,
    /// No capability, and none to be had.
    pub powerless: bool,
}

impl Walls {
    /// Words and whether they hold, in the order in which they are told.
    #[must_use]
    pub fn all(&self) -> [(&'static str, bool); 4] {
        [
            ("filter", self.filter),
            ("landlock", self.landlock),
            ("namespaces", self.namespaces),
            ("powerless", self.powerless),
        ]
    }

    /// Reads what a child said; words it does not know, and silence, are no walls.
    pub(super) fn parse(words: &[u8]) -> Self {
        let text = String::from_utf8_lossy(words);
        let says = |word: &str| text.split(' ').any(|w| w == word);
        Self {
            filter: says("filter"),
            landlock: says("landlock"),
            namespaces: says("namespaces"),
            powerless: says("powerless"),
        }
    }
}

impl fmt::Display for Walls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.all().into_iter().filter_map(|(word, holds)| holds.then_some(word)).collect();
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_child_says_is_understood_and_silence_is_no_wall() {
        for bits in 0..16_u8 {
            let has = |bit: u8| bits & (1 << bit) != 0;
            let walls = Walls { filter: has(0), landlock: has(1), namespaces: has(2), powerless: has(3) };
            assert_eq!(Walls::parse(walls.to_string().as_bytes()), walls);
        }
        assert_eq!(Walls::parse(b""), Walls::default());
        assert_eq!(Walls::parse(b"filters \xff landlocked"), Walls::default());
    }
}
