//! SentencePiece's way: the likeliest pieces.

use serde_json::Value;

use super::around::around;
use super::charsmap::charsmap;
use super::file::{FILE, TokenizerFile, Vocabulary};
use crate::foreign::folder::error::FolderError;
use crate::foreign::folder::json;
use crate::tokens::{Manner, Replaced, SPACE, Spaces, Special, Unigram};

pub(super) fn read(file: &TokenizerFile) -> Result<Unigram, FolderError> {
    let Vocabulary::Scored(scored) = &file.model.vocabulary else {
        return Err(FolderError::invalid(FILE, "the pieces of Unigram have no scores"));
    };
    if file.model.byte_fallback {
        return Err(FolderError::not_done(FILE, "bytes for unknown characters (byte_fallback)"));
    }
    let (replaced, spaces) = steps(file)?;
    let [begin, end] = around(file)?;
    let unknown = file.model.unk_id.ok_or_else(|| FolderError::invalid(FILE, "it has no unknown token"))?;
    // Texts are divided before every space first, so a piece with one inside is never met.
    let is_met = |piece: &str| !piece.chars().skip(1).any(|character| character == SPACE);
    let named = scored.iter().map(|(piece, _)| if is_met(piece) { piece.as_str() } else { "" }).collect();
    let pieces = file.pieces(named)?;
    let mut scores: Vec<f32> = scored.iter().map(|(_, score)| *score as f32).collect();
    scores.resize(pieces.count(), 0.0);
    if !scores.iter().all(|score| score.is_finite()) {
        return Err(FolderError::invalid(FILE, "a score of its vocabulary is not a finite number"));
    }
    let unigram = Unigram::new(pieces, scores, Special { begin, end, unknown }, replaced);
    let unigram = unigram.ok_or_else(|| FolderError::invalid(FILE, "a special token is not in its vocabulary"))?;
    Ok(unigram.with_manner(Manner { spaces, joins_unknown: true }))
}

/// What is done before pieces are looked for: a map of characters, and spaces.
fn steps(file: &TokenizerFile) -> Result<(Replaced, Spaces), FolderError> {
    let (mut replaced, mut is_single, mut is_trimmed, mut is_divided) = (Replaced::default(), false, false, false);
    for step in flat(&file.normalizer, "normalizers") {
        match json::kind(step) {
            "Precompiled" => replaced = charsmap(step)?,
            "Strip" if !json::is_true(step, "strip_left") => is_trimmed = json::is_true(step, "strip_right"),
            "Replace" if makes_spaces_single(step) => is_single = true,
            other => return Err(FolderError::not_done(FILE, format!("the normalizer \"{other}\" with Unigram"))),
        }
    }
    let mut has_spaces = false;
    for step in flat(&file.pre_tokenizer, "pretokenizers") {
        match json::kind(step) {
            "WhitespaceSplit" if !has_spaces => is_divided = true,
            "Metaspace" if begins_words_with_spaces(step) => has_spaces = true,
            other => return Err(FolderError::not_done(FILE, format!("the pre-tokenizer \"{other}\" with Unigram"))),
        }
    }
    match (has_spaces, is_divided, is_single, is_trimmed) {
        (true, true, _, _) => Ok((replaced, Spaces::Words)),
        (true, false, true, true) => Ok((replaced, Spaces::Trimmed)),
        (true, false, true, false) => Ok((replaced, Spaces::Single)),
        (true, false, false, false) => Ok((replaced, Spaces::All)),
        _ => Err(FolderError::not_done(FILE, "spaces in a way that no encoder of this family has")),
    }
}

/// The steps of a sequence; one step alone is one.
fn flat<'a>(step: &'a Value, name: &str) -> Vec<&'a Value> {
    match step.get(name).and_then(Value::as_array) {
        Some(steps) if json::kind(step) == "Sequence" => steps.iter().collect(),
        _ if step.is_null() => Vec::new(),
        _ => vec![step],
    }
}

fn makes_spaces_single(step: &Value) -> bool {
    let pattern = step.get("pattern").and_then(|pattern| pattern.get("Regex")).and_then(Value::as_str);
    let content = step.get("content").and_then(Value::as_str);
    pattern == Some(" {2,}") && matches!(content, Some(" " | "\u{2581}"))
}

/// A space stands before every word, also the first. Older files say so in another way.
fn begins_words_with_spaces(step: &Value) -> bool {
    let replacement = step.get("replacement").and_then(Value::as_str);
    let scheme = step.get("prepend_scheme").and_then(Value::as_str);
    let is_before_all = scheme.map_or(json::is_true(step, "add_prefix_space"), |scheme| scheme == "always");
    replacement == Some("\u{2581}") && is_before_all && step.get("split") != Some(&Value::Bool(false))
}
