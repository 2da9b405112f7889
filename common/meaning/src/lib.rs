//! Meaning: a text as a vector that lies near those of texts that say the same, made by a small transformer in whole numbers.
//!
//! Sees nothing of ours: no document, no question, no store. Nothing in this crate waits, or reads a clock, the environment, the network
//! or a file: a model comes as bytes, and bytes go out. Equal bytes and equal texts give equal vectors to the last bit, whatever the
//! processor offers and however many threads there are: products are sums of whole numbers, which no order changes, and what is done
//! with fractions has one order that is written down here, with `exp` and `erf` of our own.
//!
//! | module | what it owns |
//! | --- | --- |
//! | [`container`] | the file of a model: written, read and checked |
//! | [`foreign`] | models in the files of others, as ours |
//! | [`encoder`] | the numbers of a model |
//! | [`tokens`] | a text as the tokens that a model was trained on |
//! | `kernel` | sums of products of whole numbers, for each processor |
//! | `float` | what is done with fractions, in one order |
//! | [`model`] | a model that is ready: text in, vector out |
//! | [`limits`] | how large a model may be |

#![cfg_attr(test, allow(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read, wait and print"))]

pub mod container;
pub mod encoder;
mod float;
pub mod foreign;
mod forward;
mod kernel;
pub mod limits;
pub mod model;
pub mod tokens;
#[cfg(test)]
mod toy;

pub use container::ContainerError;
pub use kernel::Kernel;
pub use model::{Model, VectorError};
