//! Enums of which every variant is one word, and of which no other word is known.

/// A word that is none of those of a closed enum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown word {found:?}, expected one of {}", allowed.join(", "))]
pub struct UnknownWord {
    /// The word.
    pub found: String,
    /// The words that are known, in the order of the enum.
    pub allowed: &'static [&'static str],
}

/// Declares an enum and the word of each variant in one table, so that a list of the variants, a name and a parser cannot get out of step.
///
/// The enum is `Debug`, `Clone`, `Copy`, `PartialEq` and `Eq`; further derives are written above it. It gets `ALL`, every variant in the
/// order of the table; `as_str`; `Display`; and `FromStr`, whose error is an [`UnknownWord`]. After `: serde` the derived forms of serde and
/// schemars use the same words. An enum that must keep the words of newer versions is not closed: `words!` of this crate declares those.
///
/// ```
/// precis_proto::closed_words! {
///     /// A side of a sheet.
///     #[derive(Hash)]
///     pub enum Side {
///         /// The one with the number.
///         Front => "front",
///         /// The other.
///         Back => "back",
///     }
/// }
///
/// assert_eq!(Side::ALL.map(Side::as_str), ["front", "back"]);
/// assert_eq!("back".parse(), Ok(Side::Back));
/// let unknown = "edge".parse::<Side>().unwrap_err();
/// assert_eq!(unknown.to_string(), r#"unknown word "edge", expected one of front, back"#);
/// ```
#[macro_export]
macro_rules! closed_words {
    (
        $(#[$about:meta])* $vis:vis enum $name:ident: serde
        { $($(#[$about_one:meta])* $variant:ident => $word:literal),+ $(,)? }
    ) => {
        $crate::closed_words! {
            $(#[$about])* $vis enum $name { $($(#[$about_one])* #[serde(rename = $word)] $variant => $word,)+ }
        }
    };
    (
        $(#[$about:meta])* $vis:vis enum $name:ident
        { $($(#[$about_one:meta])* $variant:ident => $word:literal),+ $(,)? }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {
            $($(#[$about_one])* $variant,)+
        }

        impl $name {
            /// Every variant, in order.
            $vis const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Returns its word.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::UnknownWord;

            fn from_str(word: &str) -> Result<Self, Self::Err> {
                match word {
                    $($word => Ok(Self::$variant),)+
                    other => Err($crate::UnknownWord { found: other.to_owned(), allowed: &[$($word),+] }),
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    closed_words! {
        #[derive(Serialize, Deserialize)]
        enum Side: serde {
            Front => "front",
            Back => "the_back",
        }
    }

    #[test]
    fn a_word_is_the_same_to_serde_the_parser_and_display() {
        for side in Side::ALL {
            let json = serde_json::to_string(&side).expect("a word");
            assert_eq!(json, format!("\"{side}\""));
            assert_eq!(serde_json::from_str::<Side>(&json).expect("a word"), side);
            assert_eq!(side.as_str().parse(), Ok(side));
        }
    }

    #[test]
    fn a_parser_refuses_a_word_in_other_letters() {
        let unknown = "Front".parse::<Side>().expect_err("a capital letter");
        assert_eq!((unknown.found.as_str(), unknown.allowed), ("Front", ["front", "the_back"].as_slice()));
    }
}
