use serde_json::json;

use super::toy_folder::{Numbers, PLACES, ToyFolder, UNIGRAM, WORD_PIECE, plain_vector};
use super::*;
use crate::container::{self, ContainerError};
use crate::limits::{MAX_HIDDEN, MAX_LAYERS};
use crate::model::Model;

mod tokenizers;
mod weights;

const NOTHING: Description = Description {
    name: String::new(),
    licence: String::new(),
    query_prefix: String::new(),
    passage_prefix: String::new(),
};

fn parts_of(folder: &ToyFolder) -> Result<Parts, FolderError> {
    folder.with_files(Numbers::F32, |files| from_folder(files, NOTHING))
}

fn model_of(folder: &ToyFolder) -> Model {
    let file = container::write(&parts_of(folder).expect("a folder")).expect("a model");
    Model::read(&file).expect("a model")
}

/// What is wrong with a folder, as a person reads it.
fn refusal(folder: &ToyFolder) -> String {
    let written = parts_of(folder).and_then(|parts| Ok(container::write(&parts)?));
    written.expect_err("refused").to_string()
}

#[test]
fn what_a_folder_gives_is_read_as_it_was_written() {
    let mut folder = ToyFolder::new();
    for tokenizer in [WORD_PIECE, UNIGRAM] {
        folder.tokenizer = tokenizer.to_owned();
        let parts = parts_of(&folder).expect("a folder");
        let mut file = container::write(&parts).expect("a model");
        assert_eq!(container::read(&file), Ok(parts));
        // After the magic, four empty labels and the shape: which kind the tokenizer is of.
        let kind = container::MAGIC.len() + 4 * 4 + 6 * 4 + 4 + 1;
        file[kind] = 9;
        assert_eq!(container::read(&file), Err(ContainerError::Invalid("tokenizer")));
        file[kind..kind + 3].copy_from_slice(&[2, 0, 0]);
        assert_eq!(container::read(&file), Err(ContainerError::Invalid("tokenizer")), "one model, two files");
    }
}

/// How near our vector of a text is to the plain one of the same numbers: one if it is the same.
fn nearness(folder: &ToyFolder, text: &str, first_place: usize, is_mean: bool) -> f64 {
    let model = model_of(folder);
    let plain = plain_vector(folder, &model.tokens(text), first_place, is_mean);
    let ours = model.passage(text).expect("numbers");
    ours.iter().zip(plain).map(|(a, b)| f64::from(*a) * b).sum()
}

const TEXTS: [&str; 4] =
    ["", "the quick brown fox", "Die Straße nach Köln", "быстрая лиса 快速的 קופץ, 3.5 km; naïve!"];

#[test]
fn vectors_are_near_those_of_plain_fractions() {
    let folder = ToyFolder::new();
    for text in TEXTS {
        assert!(nearness(&folder, text, 0, true) > 0.9995, "{text}: {}", nearness(&folder, text, 0, true));
    }
}

#[test]
fn the_other_family_begins_after_the_place_that_fills_up() {
    let mut folder = ToyFolder::new();
    folder.config["model_type"] = "xlm-roberta".into();
    folder.config["pad_token_id"] = 1.into();
    assert!(nearness(&folder, TEXTS[1], 2, true) > 0.9995);
    assert!(nearness(&folder, TEXTS[1], 0, true) < 0.9995);
    assert_eq!(parts_of(&folder).expect("a folder").encoder.shape.positions, PLACES - 2);
}

#[test]
fn the_first_state_is_the_vector_where_the_folder_says_so() {
    let mut folder = ToyFolder::new();
    folder.others.insert("pooling", json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}));
    assert!(nearness(&folder, TEXTS[1], 0, false) > 0.9995);
    folder.others.insert("pooling", json!({"pooling_mode": "mean"}));
    assert!(nearness(&folder, TEXTS[1], 0, true) > 0.9995);
}

#[test]
fn equal_folders_give_equal_files_whatever_stands_before_names() {
    let folder = ToyFolder::new();
    let file = container::write(&parts_of(&folder).expect("a folder")).expect("a model");
    let mut named = folder.clone();
    named.tensors = folder.tensors.into_iter().map(|(name, tensor)| (format!("bert.{name}"), tensor)).collect();
    for (old, new) in [("weight", "gamma"), ("bias", "beta")] {
        let norm = named.tensors.remove(&format!("bert.embeddings.LayerNorm.{old}")).expect("a norm");
        named.tensors.insert(format!("bert.embeddings.LayerNorm.{new}"), norm);
    }
    named.tensors.insert("cls.predictions.bias".into(), (vec![1], vec![1.0]));
    named.tensors.insert("bert.pooler.dense.bias".into(), (vec![1], vec![1.0]));
    assert_eq!(container::write(&parts_of(&named).expect("a folder")), Ok(file));
}

#[test]
fn prefixes_and_the_length_that_is_read_are_those_of_the_folder() {
    let mut folder = ToyFolder::new();
    folder.others.insert("prompts", json!({"prompts": {"query": "query: ", "document": "passage: "}}));
    folder.others.insert("reading", json!({"max_seq_length": 7, "do_lower_case": true}));
    let parts = parts_of(&folder).expect("a folder");
    assert_eq!(parts.encoder.shape.positions, 7);
    assert_eq!([&parts.description.query_prefix, &parts.description.passage_prefix], ["query: ", "passage: "]);
    let asked = Description { query_prefix: "ask: ".into(), ..NOTHING };
    let parts = folder.with_files(Numbers::F32, |files| from_folder(files, asked)).expect("a folder");
    assert_eq!([&parts.description.query_prefix, &parts.description.passage_prefix], ["ask: ", "passage: "]);
}

#[test]
fn what_a_configuration_asks_for_and_is_not_done_is_named() {
    for (key, value, name) in [
        ("model_type", json!("mpnet"), "the model type \"mpnet\""),
        ("hidden_act", json!("gelu_new"), "the activation \"gelu_new\""),
        ("position_embedding_type", json!("relative_key"), "\"relative_key\""),
        ("position_embedding_type", json!("alibi"), "\"alibi\""),
        ("is_decoder", json!(true), "a decoder"),
        ("auto_map", json!({}), "auto_map"),
        ("quantization_config", json!({}), "quantized already"),
    ] {
        let mut folder = ToyFolder::new();
        folder.config[key] = value;
        let refusal = refusal(&folder);
        assert!(refusal.starts_with("config.json asks for ") && refusal.contains(name), "{refusal}");
    }
}

#[test]
fn what_other_files_ask_for_and_is_not_done_is_named() {
    for (file, value, name) in [
        ("modules", json!([{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}]), "Dense"),
        ("modules", json!([{"type": "sentence_transformers.models.Pooling", "path": "../x"}]), "../x"),
        ("pooling", json!({"pooling_mode_max_tokens": true}), "pooling_mode_max_tokens"),
        ("pooling", json!({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}), "with"),
        ("pooling", json!({"pooling_mode": "lasttoken"}), "lasttoken"),
        ("pooling", json!({"pooling_mode_mean_tokens": true, "include_prompt": false}), "include_prompt"),
    ] {
        let mut folder = ToyFolder::new();
        folder.others.insert(file, value);
        let refusal = refusal(&folder);
        assert!(refusal.contains("which this program does not do") && refusal.contains(name), "{refusal}");
    }
}

#[test]
fn numbers_of_a_configuration_have_their_limits() {
    for (key, part, most) in
        [("hidden_size", "width", MAX_HIDDEN), ("num_hidden_layers", "number of layers", MAX_LAYERS)]
    {
        for (found, is_within) in [(most - 1, true), (most, true), (most + 1, false)] {
            let mut folder = ToyFolder::new();
            folder.config[key] = found.into();
            let refused = FolderError::from(ContainerError::TooLarge { part, found: found as u64, most: most as u64 });
            assert_eq!(parts_of(&folder).expect_err("not its tensors") != refused, is_within, "{key} {found}");
        }
    }
    for key in ["hidden_size", "num_attention_heads", "intermediate_size", "vocab_size", "num_hidden_layers"] {
        let mut folder = ToyFolder::new();
        folder.config[key] = 0.into();
        assert!(!refusal(&folder).is_empty());
    }
}
