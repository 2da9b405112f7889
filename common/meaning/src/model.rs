//! A model that is ready: a text in, a vector out.

use crate::container::{ContainerError, Description, Parts};
use crate::encoder::Encoder;
use crate::kernel::Kernel;
use crate::tokens::Tokenizer;
use crate::{container, forward};

/// A model in memory. Can be used by many threads at once; each pass has memory of its own.
#[derive(Debug)]
pub struct Model {
    description: Description,
    tokenizer: Tokenizer,
    encoder: Encoder,
    kernel: Kernel,
}

/// A text has no vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    /// What comes out is no number; only a model that was made to do so does that.
    #[error("the model gives no numbers for a text; add the model again from where it is published")]
    NoNumber,
}

impl Model {
    /// The model of a file.
    ///
    /// # Errors
    /// [`ContainerError`] if the file is not of this kind, or not whole.
    pub fn read(bytes: &[u8]) -> Result<Self, ContainerError> {
        Ok(Self::new(container::read(bytes)?))
    }

    /// The model of parts that were checked.
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { description, tokenizer, encoder } = parts;
        Self { description, tokenizer, encoder, kernel: Kernel::widest() }
    }

    /// The same model with other instructions; the vectors are the same.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// What the model says of itself.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Numbers of a vector.
    pub fn dimensions(&self) -> usize {
        self.encoder.shape.hidden
    }

    /// The instructions in use.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The tokens of a text, with those that begin and end it: at most as many as the model has places.
    pub fn tokens(&self, text: &str) -> Vec<u32> {
        self.tokenizer.tokens(text, self.encoder.shape.positions)
    }

    /// The vector of a question, of length one.
    ///
    /// # Errors
    /// [`VectorError::NoNumber`] if the model gives none.
    pub fn query(&self, text: &str) -> Result<Vec<f32>, VectorError> {
        self.vector(&self.description.query_prefix, text)
    }

    /// The vector of a passage, of length one. What is beyond the model's places is not read.
    ///
    /// # Errors
    /// [`VectorError::NoNumber`] if the model gives none.
    pub fn passage(&self, text: &str) -> Result<Vec<f32>, VectorError> {
        self.vector(&self.description.passage_prefix, text)
    }

    fn vector(&self, prefix: &str, text: &str) -> Result<Vec<f32>, VectorError> {
        let tokens = self.tokens(&format!("{prefix}{text}"));
        forward::vector(&self.encoder, self.kernel, &tokens).ok_or(VectorError::NoNumber)
    }
}
