//! Enums that are words on the wire, and that keep unknown words of other versions.

/// Defines an enum, its words and the list of its variants from one table, so that they cannot get out of step.
///
/// `also` adds a variant that holds words of another such enum.
macro_rules! words {
    (
        $(#[$about:meta])* $name:ident, other: $(#[$about_other:meta])+
        $(also $(#[$about_also:meta])+ $also:ident($of:ty),)?
        { $($(#[doc = $doc:literal])+ $variant:ident => $word:literal,)+ }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
            $($(#[$about_also])+ $also($of),)?
            $(#[$about_other])+
            Other(String),
        }

        impl $name {
            /// All variants with a word of their own in this version.
            pub const KNOWN: &'static [Self] = &[$(Self::$variant,)+];

            /// Returns the word, if this version knows it; `None` for `Other`.
            #[must_use]
            pub fn known_word(&self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => Some($word),)+
                    $(Self::$also(inner) => inner.known_word(),)?
                    Self::Other(_) => None,
                }
            }

            /// Returns the word on the wire.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $word,)+
                    $(Self::$also(inner) => inner.as_str(),)?
                    Self::Other(word) => word,
                }
            }

            /// Returns the variant for `word`; unknown words become `Other`.
            #[must_use]
            pub fn from_word(word: &str) -> Self {
                match word {
                    $($word => Self::$variant,)+
                    other => {
                        $(
                            let inner = <$of>::from_word(other);
                            if inner.known_word().is_some() {
                                return Self::$also(inner);
                            }
                        )?
                        Self::Other(other.to_owned())
                    }
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, word: &str) -> bool {
                self.as_str() == word
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, word: &&str) -> bool {
                self.as_str() == *word
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)
                    .map(|word| Self::from_word(&word))
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    };
}

pub(crate) use words;
