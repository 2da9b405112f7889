//! The piece of work that a kernel does at once.

/// Rows of a matrix that are multiplied at once.
pub(super) const ROWS: usize = 4;
/// Tokens that rows are multiplied with at once: with four rows, their eight sums and what is multiplied fit the sixteen registers of a processor.
pub(super) const TOKENS: usize = 2;

/// Sums of `ROWS` rows with each of up to `TOKENS` tokens.
pub(super) type Sums = [[i32; ROWS]; TOKENS];
/// Adds up to `sums`: `weights` are `ROWS` rows, `activations` one to `TOKENS` rows, all of the same length, a multiple of
/// [`crate::limits::ROW_STEP`].
pub(super) type Tile = fn(weights: &[i16], activations: &[i16], length: usize, sums: &mut Sums);
