//! The files that a folder is read from.

/// The files of a folder, each as it is; `None` where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct FolderFiles<'a> {
    /// `config.json`.
    pub config: &'a [u8],
    /// `tokenizer.json`.
    pub tokenizer: &'a [u8],
    /// `model.safetensors`.
    pub weights: &'a [u8],
    /// `modules.json`: what follows the encoder.
    pub modules: Option<&'a [u8]>,
    /// `1_Pooling/config.json`.
    pub pooling: Option<&'a [u8]>,
    /// `sentence_bert_config.json`: how much of a text is read.
    pub reading: Option<&'a [u8]>,
    /// `config_sentence_transformers.json`: what is put before a text.
    pub prompts: Option<&'a [u8]>,
}
