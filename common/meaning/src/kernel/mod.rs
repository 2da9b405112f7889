//! Sums of products of whole numbers: the part of the work that takes the time.
//!
//! Every kernel gives the sums of the scalar one. Whole numbers are added without rounding, so no order and no width changes them, and
//! where a file is made to overflow 32 bits, all of them wrap.

mod dispatch;
mod scalar;
mod tile;
mod wide;

pub use dispatch::Kernel;
pub(crate) use wide::{Fractions, with_wide_floats};
