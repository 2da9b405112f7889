//! What BERT's way knows of characters: its "BertNormalizer" and its "BertPreTokenizer", as tables.
//!
//! Ours are of a newer Unicode than those of the library: they differ in characters that were added since, which no such model knows.

use icu_normalizer::DecomposingNormalizerBorrowed;
use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use serde_json::Value;

use super::file::FILE;
use crate::foreign::folder::error::FolderError;
use crate::foreign::folder::json;
use crate::tokens::{Characters, Ranges, Replaced};

/// Ideographs, each a word of its own: the ranges of BERT, as its library has them.
const IDEOGRAPHS: [(u32, u32); 7] = [
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x2_0000, 0x2_A6DF),
    (0x2_A700, 0x2_B81F),
    (0x2_B920, 0x2_CEAF),
    (0x2_F800, 0x2_FA1F),
];

pub(super) fn characters(normalizer: &Value) -> Result<Characters, FolderError> {
    let kind = json::kind(normalizer);
    if kind != "BertNormalizer" {
        return Err(FolderError::not_done(FILE, format!("the normalizer \"{kind}\" with WordPiece")));
    }
    let [is_clean, has_ideographs, is_small] =
        ["clean_text", "handle_chinese_chars", "lowercase"].map(|key| json::is_true(normalizer, key));
    // Where nothing is said of accents, they go with the capitals.
    let strips = normalizer.get("strip_accents").and_then(Value::as_bool).unwrap_or(is_small);
    let categories = CodePointMapData::<GeneralCategory>::new();
    let is_alone = |character: char| {
        let is_ideograph = IDEOGRAPHS.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(character)));
        is_punctuation(categories.get(character))
            || character.is_ascii_punctuation()
            || (has_ideographs && is_ideograph)
    };
    let is_removed = |character| is_clean && is_no_text(character, categories.get(character));
    let too_many = || FolderError::invalid(FILE, "its characters are too many ranges");
    Ok(Characters {
        removed: Ranges::of(is_removed).ok_or_else(too_many)?,
        replaced: replaced(strips, is_small).ok_or_else(too_many)?,
        alone: Ranges::of(is_alone).ok_or_else(too_many)?,
    })
}

fn is_punctuation(category: GeneralCategory) -> bool {
    use GeneralCategory as Of;
    matches!(
        category,
        Of::ConnectorPunctuation
            | Of::DashPunctuation
            | Of::OpenPunctuation
            | Of::ClosePunctuation
            | Of::InitialPunctuation
            | Of::FinalPunctuation
            | Of::OtherPunctuation
    )
}

/// Controls, marks of formats, private characters, and what stands for a character that was lost.
fn is_no_text(character: char, category: GeneralCategory) -> bool {
    let is_other = matches!(category, GeneralCategory::Control | GeneralCategory::Format | GeneralCategory::PrivateUse);
    (is_other && !matches!(character, '\t' | '\n' | '\r')) || character == char::REPLACEMENT_CHARACTER
}

/// Each character without its accents, then as a small letter.
fn replaced(strips: bool, is_small: bool) -> Option<Replaced> {
    let categories = CodePointMapData::<GeneralCategory>::new();
    let decomposed = DecomposingNormalizerBorrowed::new_nfd();
    let is_text = |of: GeneralCategory| !matches!(of, GeneralCategory::Unassigned | GeneralCategory::PrivateUse);
    let (mut from, mut ends, mut to) = (Vec::new(), Vec::new(), Vec::new());
    let mut becomes = String::new();
    for character in (char::MIN..=char::MAX).filter(|character| is_text(categories.get(*character))) {
        let mut bytes = [0; 4];
        let itself: &str = character.encode_utf8(&mut bytes);
        let parts = if strips { decomposed.normalize(itself) } else { itself.into() };
        let kept = parts.chars().filter(|part| !strips || categories.get(*part) != GeneralCategory::NonspacingMark);
        becomes.clear();
        for part in kept {
            if is_small { becomes.extend(part.to_lowercase()) } else { becomes.push(part) }
        }
        if becomes != itself {
            from.push(u32::from(character));
            to.extend(becomes.chars().map(u32::from));
            ends.push(to.len() as u32);
        }
    }
    Replaced::new(from, ends, to)
}
