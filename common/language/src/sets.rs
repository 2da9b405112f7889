//! Short forms to declare a set of words, phrases or beginnings of words with the function that looks it up.

/// `name(word)`: whether `word`, in lower case, is in the set, in whatever language.
macro_rules! word_sets {
    ($($(#[$doc:meta])* $name:ident: [$($row:expr),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub fn $name(word: &str) -> bool {
            static WORDS: std::sync::LazyLock<$crate::table::Table<()>> = std::sync::LazyLock::new(|| {
                let rows: &[(Language, &'static str)] = &[$($row),*];
                $crate::table::Table::new(rows.iter().map(|(language, words)| (*language, (), *words)))
            });
            WORDS.get(word, None).is_some()
        }
    )*};
}

/// `name(text)`: whether one of the phrases is anywhere in `text`, which is in lower case. `_` stands for a space.
macro_rules! phrase_sets {
    ($($(#[$doc:meta])* $name:ident: [$($row:expr),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub fn $name(text: &str) -> bool {
            static PHRASES: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| {
                let rows: &[(Language, &str)] = &[$($row),*];
                let phrases = rows.iter().flat_map(|(_, phrases)| phrases.split_whitespace());
                phrases.map(|phrase| phrase.replace('_', " ")).collect()
            });
            PHRASES.iter().any(|phrase| text.contains(phrase.as_str()))
        }
    )*};
}

/// `name(word)`: whether `word`, in lower case, begins with one of the stems.
macro_rules! stem_sets {
    ($($(#[$doc:meta])* $name:ident: [$($row:expr),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub fn $name(word: &str) -> bool {
            const ROWS: &[(Language, &str)] = &[$($row),*];
            ROWS.iter().flat_map(|(_, stems)| stems.split_whitespace()).any(|stem| word.starts_with(stem))
        }
    )*};
}

pub(super) use {phrase_sets, stem_sets, word_sets};
