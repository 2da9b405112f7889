//! Why a file is not a model.

/// A file is not a model. Names the part, never its content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// Another kind of file.
    #[error("not a model file of this program")]
    OtherKind,
    /// It ends within a part.
    #[error("the model file ends within its {0}")]
    Short(&'static str),
    /// Something follows its last part.
    #[error("the model file has bytes after its last part")]
    Long,
    /// A count is beyond its limit.
    #[error("the {part} of the model file is {found}, at most {most} is allowed")]
    TooLarge {
        /// Which part.
        part: &'static str,
        /// What the file has.
        found: u64,
        /// What it may have.
        most: u64,
    },
    /// A value that no model has.
    #[error("the {0} of the model file is invalid")]
    Invalid(&'static str),
    /// A fraction is no number.
    #[error("the {0} of the model file has a value that is not a finite number")]
    NotFinite(&'static str),
}
