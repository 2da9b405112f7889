//! The restrictions in force in a child, as reported by the child itself.

use std::fmt;

/// The restrictions in force in a child, besides its resource limits, without which it does not start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Walls {
    /// System calls outside a short list kill it (seccomp).
    pub filter: bool,
    /// No files, no ports, and no signals to other processes (Landlock).
    pub landlock: bool,
    /// Its own empty user, network, IPC and host name namespaces.
    pub namespaces: bool,
    /// No capabilities, and no way to get any.
    pub powerless: bool,
}

impl Walls {
    /// The name of each restriction and whether it is in force, in the order of display.
    #[must_use]
    pub fn all(&self) -> [(&'static str, bool); 4] {
        [
            ("filter", self.filter),
            ("landlock", self.landlock),
            ("namespaces", self.namespaces),
            ("powerless", self.powerless),
        ]
    }

    /// Parses a child's report; unknown words and an empty report mean no restriction.
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
