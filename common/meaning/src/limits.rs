//! How large a model may be. A file that claims more is refused before memory is taken for it.
//!
//! The limits are those of the small encoders this crate is for; chosen, not measured.

/// Pieces of a vocabulary; multilingual ones have 250,000.
pub const MAX_VOCABULARY: usize = 1 << 20;
/// Layers of a model; small ones have 6 to 12.
pub const MAX_LAYERS: usize = 48;
/// Numbers of a vector; small models have 384.
pub const MAX_HIDDEN: usize = 1024;
/// Numbers between the two matrices of a layer's second half; four times the vector as a rule. Sums of products stay within 32 bits up
/// to here: see [`MAX_ACTIVATION`].
pub const MAX_INNER: usize = 4096;
/// Places of a text that a model tells apart, and so the most tokens a text is read to.
pub const MAX_POSITIONS: usize = 512;
/// Bytes of one piece of a vocabulary.
pub const MAX_PIECE_BYTES: usize = 256;
/// Characters that a normalization map gives for one.
pub const MAX_REPLACEMENT: usize = 32;
/// Entries of a normalization map: every character of Unicode.
pub const MAX_REPLACED: usize = 0x11_0000;
/// Characters of a word that is divided into pieces; a longer one is unknown. Models have 100.
pub const MAX_WORD: usize = 1024;
/// Ranges of characters of one kind; the punctuation of Unicode has about 200.
pub const MAX_RANGES: usize = 1024;
/// Bytes of a name, a licence or a prefix.
pub const MAX_LABEL_BYTES: usize = 512;
/// Every row of a matrix is a multiple of this many numbers: the widest vectors of any processor read that many at once.
pub const ROW_STEP: usize = 32;
/// Whole numbers that stand for what flows between layers: from minus this to this. `4095 · 127 · 4096` is below `2^31`.
pub const MAX_ACTIVATION: i32 = 4095;
/// Whole numbers that stand for weights: from minus this to this.
pub const MAX_WEIGHT: i32 = 127;
