use std::fs::{self, File};

use precis_meaning::Model;
use serde_json::{Value, json};

use super::*;

const HIDDEN: usize = 32;

/// Writes a folder of one layer, whose weights count up, and gives its path.
fn folder(below: &Path) -> std::path::PathBuf {
    let folder = below.join("small-encoder");
    fs::create_dir(&folder).expect("a folder");
    let config = json!({
        "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": HIDDEN, "vocab_size": 8, "max_position_embeddings": 16,
    });
    fs::write(folder.join("config.json"), config.to_string()).expect("written");
    fs::write(folder.join("tokenizer.json"), tokenizer().to_string()).expect("written");
    fs::write(folder.join("model.safetensors"), weights()).expect("written");
    fs::write(folder.join("README.md"), "---\nlicense: apache-2.0\n---\n# Small").expect("written");
    folder
}

fn tokenizer() -> Value {
    let special = |name: &str, id: u32| json!({"id": name, "ids": [id], "tokens": [name]});
    json!({
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
            ],
            "special_tokens": {"[CLS]": special("[CLS]", 1), "[SEP]": special("[SEP]", 2)},
        },
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "dog": 3, "cat": 4, "##s": 5},
        },
    })
}

fn weights() -> Vec<u8> {
    let mut tensors = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![8, HIDDEN]),
        ("embeddings.position_embeddings.weight".to_owned(), vec![16, HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, HIDDEN]),
    ];
    let parts = ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"];
    for part in parts.into_iter().chain(["intermediate.dense", "output.dense"]) {
        tensors.push((format!("encoder.layer.0.{part}.weight"), vec![HIDDEN, HIDDEN]));
        tensors.push((format!("encoder.layer.0.{part}.bias"), vec![HIDDEN]));
    }
    for norm in ["embeddings", "encoder.layer.0.attention.output", "encoder.layer.0.output"] {
        tensors.push((format!("{norm}.LayerNorm.weight"), vec![HIDDEN]));
        tensors.push((format!("{norm}.LayerNorm.bias"), vec![HIDDEN]));
    }
    let (mut header, mut numbers) = (serde_json::Map::new(), Vec::<u8>::new());
    for (name, shape) in tensors {
        let from = numbers.len();
        let count: usize = shape.iter().product();
        numbers.extend((0..count).flat_map(|at| (((from + at * 37) % 101) as f32 / 50.0 - 1.0).to_le_bytes()));
        header.insert(name, json!({"dtype": "F32", "shape": shape, "data_offsets": [from, numbers.len()]}));
    }
    let header = Value::Object(header).to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &numbers].concat()
}

fn converted(folder: &Path) -> Result<Vec<u8>, SourceError> {
    super::super::convert(folder, &FolderWords::default())
}

fn refusal(folder: &Path) -> String {
    converted(folder).expect_err("refused").to_string()
}

#[test]
fn a_folder_becomes_a_model_with_its_name_and_licence() {
    let data = tempfile::tempdir().expect("a directory");
    let folder = folder(data.path());
    let file = converted(&folder).expect("a model");
    assert_eq!(converted(&folder).expect("again"), file);
    let model = Model::read(&file).expect("a model");
    let Description { name, licence, query_prefix, .. } = model.description();
    assert_eq!([name.as_str(), licence, query_prefix], ["small-encoder", "apache-2.0", ""]);
    assert_eq!(model.tokens("Dogs, cat"), [1, 3, 5, 0, 4, 2]);
    assert!(model.query("dogs").is_ok());
}

#[test]
fn what_a_person_says_of_a_folder_holds() {
    let data = tempfile::tempdir().expect("a directory");
    let folder = folder(data.path());
    let words = FolderWords {
        name: Some("pets".into()),
        query_prefix: Some("query: ".into()),
        passage_prefix: Some("passage: ".into()),
    };
    let file = super::super::convert(&folder, &words).expect("a model");
    let model = Model::read(&file).expect("a model");
    let Description { name, query_prefix, passage_prefix, .. } = model.description();
    assert_eq!([name.as_str(), query_prefix, passage_prefix], ["pets", "query: ", "passage: "]);
    let alone = data.path().join("alone.model");
    fs::write(&alone, file).expect("written");
    assert!(matches!(super::super::convert(&alone, &words), Err(SourceError::HasItsOwn)));
}

#[test]
fn what_a_folder_lacks_is_named_with_what_it_has_instead() {
    let data = tempfile::tempdir().expect("a directory");
    let folder = folder(data.path());
    fs::remove_file(folder.join("model.safetensors")).expect("removed");
    assert_eq!(refusal(&folder), "the folder has no model.safetensors");
    for (name, instead) in
        [("model.onnx", "ONNX"), ("pytorch_model.bin", "pickle"), ("model.safetensors.index.json", "several files")]
    {
        fs::write(folder.join(name), "").expect("written");
        assert!(refusal(&folder).contains(instead), "{name}");
    }
    fs::remove_file(folder.join("config.json")).expect("removed");
    assert_eq!(refusal(&folder), "the folder has no config.json");
}

#[test]
fn files_of_a_folder_have_their_limits() {
    let data = tempfile::tempdir().expect("a directory");
    let folder = folder(data.path());
    let config = fs::read(folder.join("config.json")).expect("there");
    for (bytes, is_fine) in
        [(MAX_SETTINGS_BYTES - 1, true), (MAX_SETTINGS_BYTES, true), (MAX_SETTINGS_BYTES + 1, false)]
    {
        let mut padded = config.clone();
        padded.resize(bytes as usize, b' ');
        fs::write(folder.join("config.json"), padded).expect("written");
        assert_eq!(converted(&folder).is_ok(), is_fine, "{bytes}");
    }
    fs::write(folder.join("config.json"), config).expect("written");
    for (name, most) in [("tokenizer.json", MAX_TOKENIZER_BYTES), ("model.safetensors", MAX_WEIGHTS_BYTES)] {
        let kept = fs::read(folder.join(name)).expect("there");
        File::create(folder.join(name)).and_then(|file| file.set_len(most + 1)).expect("a file with a hole");
        assert!(refusal(&folder).starts_with(&format!("read {name}: it must have at most {most} bytes")));
        fs::write(folder.join(name), kept).expect("written");
    }
    assert!(converted(&folder).is_ok());
}

#[test]
fn a_card_that_cannot_be_read_says_nothing() {
    let data = tempfile::tempdir().expect("a directory");
    let folder = folder(data.path());
    fs::remove_file(folder.join("README.md")).expect("removed");
    let without = converted(&folder).expect("a model");
    fs::create_dir(folder.join("README.md")).expect("a folder");
    assert_eq!(converted(&folder).expect("a model"), without);
}
