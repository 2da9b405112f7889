use proptest::prelude::*;
use serde_json::{Value, json};

use crate::foreign::folder::tokenizer_of;
use crate::foreign::folder::toy_folder::{UNIGRAM, WORD_PIECE};
use crate::limits::MAX_WORD;
use crate::tokens::Tokenizer;

fn read(tokenizer: &str) -> Tokenizer {
    tokenizer_of(tokenizer.as_bytes()).expect("a tokenizer")
}

#[test]
fn word_pieces_are_those_of_the_reference_in_eleven_scripts() {
    let known: Vec<(String, Vec<u32>)> =
        serde_json::from_str(include_str!("../fixtures/word_piece_ids.json")).expect("texts with tokens");
    assert!(known.len() >= 14);
    let tokenizer = read(WORD_PIECE);
    for (text, tokens) in known {
        assert_eq!(tokenizer.tokens(&text, 512), tokens, "{text}");
    }
}

/// A tokenizer whose spaces are those of newer files, and of files that keep all spaces.
fn with_spaces_as(name: &str) -> String {
    let mut file: Value = serde_json::from_str(UNIGRAM).expect("JSON");
    let metaspace = file["pre_tokenizer"]["pretokenizers"][1].clone();
    if name != "words" {
        file["pre_tokenizer"] = metaspace;
    }
    if name == "trimmed" {
        let map = file["normalizer"].take();
        let single = json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"});
        let strip = json!({"type": "Strip", "strip_left": false, "strip_right": true});
        file["normalizer"] = json!({"type": "Sequence", "normalizers": [map, strip, single]});
    }
    file.to_string()
}

#[test]
fn likeliest_pieces_are_those_of_the_reference_in_eleven_scripts() {
    let texts: Vec<(String, Vec<u32>)> =
        serde_json::from_str(include_str!("../fixtures/word_piece_ids.json")).expect("texts");
    let known: std::collections::BTreeMap<String, Vec<Vec<u32>>> =
        serde_json::from_str(include_str!("../fixtures/unigram_ids.json")).expect("tokens");
    assert_eq!(known.len(), 3);
    for (name, known) in known {
        let tokenizer = read(&with_spaces_as(&name));
        for ((text, _), tokens) in texts.iter().zip(known) {
            assert_eq!(tokenizer.tokens(text, 512), tokens, "{name}: {text}");
        }
    }
}

#[test]
fn a_text_cannot_name_a_special_token() {
    let special = [0, 1, 2, 3];
    for tokenizer in [WORD_PIECE, UNIGRAM] {
        let tokens = read(tokenizer).tokens("[CLS] [SEP] <s> </s> <pad>", 512);
        let within = &tokens[1..tokens.len() - 1];
        let unknown = if tokenizer == UNIGRAM { 3 } else { 1 };
        assert!(within.iter().all(|token| *token == unknown || !special.contains(token)), "{tokens:?}");
    }
}

fn changed(tokenizer: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut file: Value = serde_json::from_str(tokenizer).expect("JSON");
    change(&mut file);
    tokenizer_of(file.to_string().as_bytes()).expect_err("refused").to_string()
}

#[test]
fn tokenizers_that_divide_texts_otherwise_are_named() {
    let refusals = [
        (changed(WORD_PIECE, |file| file["model"]["type"] = "BPE".into()), "BPE"),
        (changed(WORD_PIECE, |file| file["normalizer"] = json!({"type": "NFKC"})), "NFKC"),
        (changed(WORD_PIECE, |file| file["pre_tokenizer"] = json!({"type": "ByteLevel"})), "ByteLevel"),
        (changed(WORD_PIECE, |file| file["model"]["continuing_subword_prefix"] = "@".into()), "\"@\""),
        (changed(WORD_PIECE, |file| file["post_processor"] = Value::Null), "post-processor"),
        (changed(WORD_PIECE, |file| file["post_processor"]["single"][0] = json!({"Sequence": {"id": "A"}})), "around"),
        (changed(WORD_PIECE, |file| file["added_tokens"][0]["special"] = false.into()), "[PAD]"),
        (changed(UNIGRAM, |file| file["model"]["byte_fallback"] = true.into()), "byte_fallback"),
        (changed(UNIGRAM, |file| file["normalizer"] = json!({"type": "Lowercase"})), "Lowercase"),
        (
            changed(UNIGRAM, |file| file["pre_tokenizer"]["pretokenizers"][1]["prepend_scheme"] = "never".into()),
            "Metaspace",
        ),
        (changed(UNIGRAM, |file| file["pre_tokenizer"] = json!({"type": "WhitespaceSplit"})), "spaces"),
    ];
    for (refusal, name) in refusals {
        assert!(refusal.contains("which this program does not do") && refusal.contains(name), "{refusal}");
    }
}

#[test]
fn tokenizers_that_contradict_themselves_are_refused() {
    let refusals = [
        (changed(WORD_PIECE, |file| file["model"]["unk_token"] = "[NONE]".into()), "[NONE]"),
        (changed(WORD_PIECE, |file| file["model"]["vocab"]["[UNK]"] = 7.into()), "two pieces are number 7"),
        (changed(WORD_PIECE, |file| file["model"]["vocab"]["x"] = u32::MAX.into()), "4294967295"),
        (changed(UNIGRAM, |file| file["model"]["unk_id"] = 9000.into()), "special token"),
        (changed(UNIGRAM, |file| file["model"]["unk_id"] = Value::Null), "unknown token"),
        (changed(UNIGRAM, |file| file["model"]["vocab"][5][1] = 1e300.into()), "finite"),
        (changed(UNIGRAM, |file| file["normalizer"]["precompiled_charsmap"] = "!".into()), "precompiled_charsmap"),
        (
            changed(UNIGRAM, |file| file["normalizer"]["precompiled_charsmap"] = "/////w==".into()),
            "precompiled_charsmap",
        ),
        (changed(UNIGRAM, |file| file["added_tokens"][0]["id"] = u32::MAX.into()), "is number"),
    ];
    for (refusal, name) in refusals {
        assert!(refusal.starts_with("tokenizer.json is invalid") && refusal.contains(name), "{refusal}");
    }
}

#[test]
fn words_of_a_tokenizer_have_their_limit() {
    for (most, is_fine) in [(0, false), (1, true), (MAX_WORD - 1, true), (MAX_WORD, true), (MAX_WORD + 1, false)] {
        let mut file: Value = serde_json::from_str(WORD_PIECE).expect("JSON");
        file["model"]["max_input_chars_per_word"] = most.into();
        assert_eq!(tokenizer_of(file.to_string().as_bytes()).is_ok(), is_fine, "{most}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_tokenizer_with_other_bytes_is_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        for tokenizer in [WORD_PIECE, UNIGRAM] {
            let mut file = tokenizer.as_bytes().to_vec();
            for (at, byte) in &changes {
                let at = at.index(file.len());
                file[at] = *byte;
            }
            if let Ok(tokenizer) = tokenizer_of(&file) {
                let tokens = tokenizer.tokens("a quick лиса ξ", 8);
                prop_assert!((2..=8).contains(&tokens.len()));
            }
        }
    }
}
