//! The languages that the tables of this room have a row for.

/// A human language, named by its tag of ISO 639-1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are tags")]
pub enum Language {
    En,
    De,
    Fr,
    Es,
    It,
    Pt,
    Nl,
    Pl,
    Cs,
    Sv,
    Da,
    Ru,
    Uk,
    Tr,
    Ar,
    Hi,
    Ja,
    Ko,
    Zh,
    Vi,
    Th,
    El,
    /// Romanian: question words only.
    Ro,
    /// Hebrew: recognized by its script.
    He,
}

impl Language {
    /// The languages for which every table has a row; a test in each file asserts it.
    #[cfg(test)]
    pub const COVERED: [Self; 22] = [
        Self::En,
        Self::De,
        Self::Fr,
        Self::Es,
        Self::It,
        Self::Pt,
        Self::Nl,
        Self::Pl,
        Self::Cs,
        Self::Sv,
        Self::Da,
        Self::Ru,
        Self::Uk,
        Self::Tr,
        Self::Ar,
        Self::Hi,
        Self::Ja,
        Self::Ko,
        Self::Zh,
        Self::Vi,
        Self::Th,
        Self::El,
    ];

    /// Its BCP 47 tag.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::De => "de",
            Self::Fr => "fr",
            Self::Es => "es",
            Self::It => "it",
            Self::Pt => "pt",
            Self::Nl => "nl",
            Self::Pl => "pl",
            Self::Cs => "cs",
            Self::Sv => "sv",
            Self::Da => "da",
            Self::Ru => "ru",
            Self::Uk => "uk",
            Self::Tr => "tr",
            Self::Ar => "ar",
            Self::Hi => "hi",
            Self::Ja => "ja",
            Self::Ko => "ko",
            Self::Zh => "zh",
            Self::Vi => "vi",
            Self::Th => "th",
            Self::El => "el",
            Self::Ro => "ro",
            Self::He => "he",
        }
    }
}
