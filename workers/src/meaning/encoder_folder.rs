//! A folder of Hugging Face: which of its files are read, and how much of each. Nothing in it is executed, and pickle is never opened.

use std::io::{self, ErrorKind};
use std::path::Path;

use precis_meaning::container::Description;
use precis_meaning::foreign::{FolderFiles, from_folder, licence_of_card};
use precis_runtime::files::{FileLimits, Links, read_regular};

use super::source_error::SourceError;

/// Largest file of settings.
const MAX_SETTINGS_BYTES: u64 = 1 << 20;
/// Largest `tokenizer.json`; that of 250,000 pieces has 17 MB.
const MAX_TOKENIZER_BYTES: u64 = 64 << 20;
/// Largest `model.safetensors`.
const MAX_WEIGHTS_BYTES: u64 = 2 << 30;
/// Largest `README.md` whose licence is looked for.
const MAX_CARD_BYTES: u64 = 4 << 20;
/// Characters of a licence that are kept.
const MAX_LICENCE: usize = 100;

/// What a person says of the model in a folder; what is `None` is taken from the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FolderWords {
    /// Its name.
    pub name: Option<String>,
    /// What is put before a question.
    pub query_prefix: Option<String>,
    /// What is put before a passage.
    pub passage_prefix: Option<String>,
}

/// The file of the model in a folder.
pub(super) fn convert(folder: &Path, words: &FolderWords) -> Result<Vec<u8>, SourceError> {
    let needed = |name: &'static str, most| read(folder, name, most)?.ok_or_else(|| lacking(folder, name));
    let settings = |name| read(folder, name, MAX_SETTINGS_BYTES);
    let config = needed("config.json", MAX_SETTINGS_BYTES)?;
    let weights = needed("model.safetensors", MAX_WEIGHTS_BYTES)?;
    let tokenizer = needed("tokenizer.json", MAX_TOKENIZER_BYTES)?;
    let (modules, pooling) = (settings("modules.json")?, settings("1_Pooling/config.json")?);
    let (reading, prompts) = (settings("sentence_bert_config.json")?, settings("config_sentence_transformers.json")?);
    let files = FolderFiles {
        config: &config,
        tokenizer: &tokenizer,
        weights: &weights,
        modules: modules.as_deref(),
        pooling: pooling.as_deref(),
        reading: reading.as_deref(),
        prompts: prompts.as_deref(),
    };
    let parts = from_folder(&files, description(folder, words)?)?;
    // The weights may be a gigabyte, and are not needed any more.
    drop(weights);
    Ok(precis_meaning::container::write(&parts)?)
}

fn description(folder: &Path, words: &FolderWords) -> io::Result<Description> {
    let name = match &words.name {
        Some(name) if !name.trim().is_empty() => name.clone(),
        // So that "." has a name as well.
        _ => folder.canonicalize()?.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    };
    // For people only: a card that cannot be read says nothing.
    let card = read(folder, "README.md", MAX_CARD_BYTES).ok().flatten().unwrap_or_default();
    let licence = licence_of_card(&String::from_utf8_lossy(&card));
    let licence = licence.chars().filter(|character| !character.is_control()).take(MAX_LICENCE).collect();
    let given = |prefix: &Option<String>| prefix.clone().unwrap_or_default();
    Ok(Description {
        name,
        licence,
        query_prefix: given(&words.query_prefix),
        passage_prefix: given(&words.passage_prefix),
    })
}

/// `None` if there is no such file.
fn read(folder: &Path, name: &'static str, most: u64) -> Result<Option<Vec<u8>>, SourceError> {
    let read = read_regular(&folder.join(name), Links::Followed, FileLimits::bytes(most)).map_err(io::Error::from);
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(SourceError::FileOfFolder { file: name, error }),
    }
}

/// Says what there is instead of the weights.
fn lacking(folder: &Path, file: &'static str) -> SourceError {
    let has = |name: &str| folder.join(name).exists();
    let instead = match file {
        "model.safetensors" if has("model.safetensors.index.json") => "; weights in several files are not read",
        "model.safetensors" if has("pytorch_model.bin") => "; pytorch_model.bin is pickle, which is never read",
        "model.safetensors" if has("model.onnx") || has("onnx") => "; ONNX is not read",
        _ => "",
    };
    SourceError::Lacking { file, instead }
}

#[cfg(test)]
mod tests;
