//! Why a folder gives no model.

use crate::container::ContainerError;

/// A folder gives no model. Names the file and the part; what a name of the folder's own is shown was shortened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    /// A file is not as it must be.
    #[error("{file} is invalid: {reason}")]
    Invalid {
        /// Which file.
        file: &'static str,
        /// What is wrong in it.
        reason: String,
    },
    /// A file asks for something that is not done here; without it the vectors would be others.
    #[error("{file} asks for {what}, which this program does not do")]
    NotDone {
        /// Which file.
        file: &'static str,
        /// What it asks for.
        what: String,
    },
    /// A tensor is missing, or is not as the configuration says.
    #[error("model.safetensors: the tensor {name} {reason}")]
    Tensor {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The parts do not make a model.
    #[error(transparent)]
    Parts(#[from] ContainerError),
}

/// Characters of a foreign name that are shown.
const SHOWN: usize = 80;

impl FolderError {
    pub(super) fn invalid(file: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { file, reason: shortened(&reason.into()) }
    }

    pub(super) fn not_done(file: &'static str, what: impl Into<String>) -> Self {
        Self::NotDone { file, what: shortened(&what.into()) }
    }

    pub(super) fn tensor(name: &str, reason: impl Into<String>) -> Self {
        Self::Tensor { name: shortened(name), reason: shortened(&reason.into()) }
    }
}

/// Names and values come from a foreign file: one line, and not longer than a person reads.
fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
