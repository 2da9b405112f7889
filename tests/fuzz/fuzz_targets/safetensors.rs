//! A file of weights is read or refused, and what is read makes a model or is refused.

#![no_main]

use libfuzzer_sys::fuzz_target;
use precis_meaning::foreign::{FolderFiles, from_folder, weights_are_whole};

const CONFIG: &[u8] = br#"{"model_type": "bert", "hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
    "intermediate_size": 32, "vocab_size": 205, "max_position_embeddings": 16}"#;
const TOKENIZER: &[u8] = include_bytes!("../../../common/meaning/src/foreign/folder/fixtures/unigram.json");

fuzz_target!(|bytes: &[u8]| {
    if weights_are_whole(bytes).is_err() {
        return;
    }
    let files = FolderFiles { config: CONFIG, tokenizer: TOKENIZER, weights: bytes, ..FolderFiles::default() };
    if let Ok(parts) = from_folder(&files, Default::default()) {
        let _ = precis_meaning::container::write(&parts);
    }
});
