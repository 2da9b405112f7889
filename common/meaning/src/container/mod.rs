//! The file of a model: everything a model needs in one file, in one order, with nothing to choose while reading.
//!
//! Numbers are little-endian. `u32` counts come before what they count, and each is compared with a limit and with what is left of the
//! file before memory is taken. The order: [`MAGIC`]; four labels; the shape; the tokenizer; the table; places; the first norm; the
//! layers. Nothing follows. Fractions that are not numbers, or endless, are refused, and so are indices out of range: a model that was
//! read needs no check afterwards.

mod cursor;
mod encoder;
mod error;
mod file;
mod tokenizer;

pub(crate) use cursor::{Fraction, Reader};
pub use error::ContainerError;
pub use file::{DESCRIPTION_BYTES, Description, MAGIC, Parts, describe, read, write};

#[cfg(test)]
mod tests;
