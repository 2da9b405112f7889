//! The model that is part of this program, if it was built with the feature `with-model`.

use std::sync::LazyLock;

use precis_meaning::container::describe;
use precis_proto::ids::sha256_hex;

use super::kept::{KeptModel, ModelPlace};

/// A model that is part of a program.
#[derive(Debug)]
pub(super) struct BuiltIn {
    /// Its file.
    pub(super) file: &'static [u8],
    /// Which it is.
    pub(super) model: KeptModel,
}

impl BuiltIn {
    /// `None` if it is no model.
    pub(super) fn new(file: &'static [u8]) -> Option<Self> {
        let (hash, bytes) = (sha256_hex(file), file.len() as u64);
        let model = KeptModel { hash, description: describe(file).ok()?, bytes, place: ModelPlace::Program };
        Some(Self { file, model })
    }
}

/// The model of this program; `None` if it was built without one. Its hash is computed once.
pub(super) fn built_in() -> Option<&'static BuiltIn> {
    static BUILT_IN: LazyLock<Option<BuiltIn>> = LazyLock::new(|| FILE.and_then(BuiltIn::new));
    BUILT_IN.as_ref()
}

#[cfg(not(feature = "with-model"))]
const FILE: Option<&[u8]> = None;

#[cfg(feature = "with-model")]
const FILE: Option<&[u8]> = Some(include_bytes!(env!(
    "PRECIS_MODEL_FILE",
    "the feature `with-model` needs PRECIS_MODEL_FILE: the absolute path of a file that `precis model add` made"
)));

/// Another file is noticed while building, not when somebody looks for the model.
const _: () = {
    if let Some(file) = FILE {
        let magic = precis_meaning::container::MAGIC;
        let mut at = 0;
        while at < magic.len() {
            assert!(
                at < file.len() && file[at] == magic[at],
                "PRECIS_MODEL_FILE is not a file that `precis model add` made"
            );
            at += 1;
        }
    }
};
