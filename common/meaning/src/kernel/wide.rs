//! The kernels of wide instructions, and the only place of this crate with `unsafe`.
//!
//! Two things need it and nothing else does: a load of many numbers takes a pointer, and a function for a processor that has certain
//! instructions may be called only where it has them. Each load is of a row whose length was compared before; each such function is
//! private here, and is handed out by [`tiles`] or called by [`with_wide_floats`] only after the processor was asked.

#![expect(
    unsafe_code,
    reason = "vector loads take pointers, and functions for certain processors are called after they were asked"
)]

use super::tile::Tile;

/// Makes a tile of one width: `ROWS` rows and `N` tokens, their sums in registers.
macro_rules! tile {
    (
        $module:ident, $arch:ident, $features:literal, $lanes:literal, $zero:expr, |$from:ident| $load:expr,
        |$sum:ident, $a:ident, $b:ident| $add:expr, |$all:ident| $total:expr
    ) => {
        mod $module {
            use std::arch::$arch::*;

            use crate::kernel::tile::{ROWS, Sums, TOKENS};

            pub(super) fn tile(weights: &[i16], activations: &[i16], length: usize, sums: &mut Sums) {
                assert!(length.is_multiple_of($lanes) && weights.len() >= ROWS * length, "rows of whole steps");
                let tokens = activations.len() / length;
                // SAFETY: `tiles` hands this out only where the processor has the instructions; the rows were counted above.
                unsafe {
                    match tokens {
                        0 => {}
                        1 => rows::<1>(weights, activations, length, sums),
                        _ => rows::<TOKENS>(weights, activations, length, sums),
                    }
                }
            }

            /// # Safety
            /// The processor has the instructions; `weights` has `ROWS` rows of `length`, `activations` has `N`, and `length` is whole
            /// steps.
            #[target_feature(enable = $features)]
            unsafe fn rows<const N: usize>(weights: &[i16], activations: &[i16], length: usize, sums: &mut Sums) {
                let mut totals = [[$zero; ROWS]; N];
                let mut values = [$zero; N];
                let mut at = 0;
                while at < length {
                    for token in 0..N {
                        // SAFETY: `at + lanes <= length`, within row `token` of `activations`.
                        let $from = unsafe { activations.as_ptr().add(token * length + at) };
                        // SAFETY: as above.
                        values[token] = unsafe { $load };
                    }
                    for row in 0..ROWS {
                        // SAFETY: `at + lanes <= length`, within row `row` of `weights`.
                        let $from = unsafe { weights.as_ptr().add(row * length + at) };
                        // SAFETY: as above.
                        let $a = unsafe { $load };
                        for token in 0..N {
                            let ($sum, $b) = (totals[token][row], values[token]);
                            totals[token][row] = $add;
                        }
                    }
                    at += $lanes;
                }
                for token in 0..N {
                    for row in 0..ROWS {
                        let $all = totals[token][row];
                        sums[token][row] = $total;
                    }
                }
            }
        }
    };
}

/// The kernels that this processor has, widest last.
#[cfg(target_arch = "x86_64")]
pub(super) fn tiles() -> Vec<(&'static str, Tile)> {
    // Part of every processor of this family.
    let mut tiles: Vec<(&'static str, Tile)> = vec![("sse2", sse2::tile)];
    if std::arch::is_x86_feature_detected!("avx2") {
        tiles.push(("avx2", avx2::tile));
    }
    if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512bw") {
        tiles.push(("avx512", avx512::tile));
        if std::arch::is_x86_feature_detected!("avx512vnni") {
            tiles.push(("avx512-vnni", vnni::tile));
        }
    }
    tiles
}

/// The kernels that this processor has, widest last.
#[cfg(target_arch = "aarch64")]
pub(super) fn tiles() -> Vec<(&'static str, Tile)> {
    if std::arch::is_aarch64_feature_detected!("neon") { vec![("neon", neon::tile)] } else { Vec::new() }
}

/// The kernels that this processor has: none of ours.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) fn tiles() -> Vec<(&'static str, Tile)> {
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
tile!(
    sse2,
    x86_64,
    "sse2",
    8,
    _mm_setzero_si128(),
    |from| _mm_loadu_si128(from.cast()),
    |sum, a, b| _mm_add_epi32(sum, _mm_madd_epi16(a, b)),
    |all| {
        let pairs = _mm_add_epi32(all, _mm_shuffle_epi32::<0b0100_1110>(all));
        _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<0b1011_0001>(pairs)))
    }
);

#[cfg(target_arch = "x86_64")]
tile!(
    avx2,
    x86_64,
    "avx2",
    16,
    _mm256_setzero_si256(),
    |from| _mm256_loadu_si256(from.cast()),
    |sum, a, b| _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)),
    |all| {
        let half = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
        let pairs = _mm_add_epi32(half, _mm_shuffle_epi32::<0b0100_1110>(half));
        _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<0b1011_0001>(pairs)))
    }
);

#[cfg(target_arch = "x86_64")]
tile!(
    avx512,
    x86_64,
    "avx512f,avx512bw",
    32,
    _mm512_setzero_si512(),
    |from| _mm512_loadu_si512(from.cast()),
    |sum, a, b| _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)),
    |all| _mm512_reduce_add_epi32(all)
);

#[cfg(target_arch = "x86_64")]
tile!(
    vnni,
    x86_64,
    "avx512f,avx512bw,avx512vnni",
    32,
    _mm512_setzero_si512(),
    |from| _mm512_loadu_si512(from.cast()),
    |sum, a, b| _mm512_dpwssd_epi32(sum, a, b),
    |all| _mm512_reduce_add_epi32(all)
);

#[cfg(target_arch = "aarch64")]
tile!(
    neon,
    aarch64,
    "neon",
    8,
    vdupq_n_s32(0),
    |from| vld1q_s16(from),
    |sum, a, b| vmlal_high_s16(vmlal_s16(sum, vget_low_s16(a), vget_low_s16(b)), a, b),
    |all| vaddvq_s32(all)
);

/// Work on fractions whose `run` is always inlined. Not a closure: that would stay a function of its own, compiled for any processor.
pub(crate) trait Fractions {
    fn run(self);
}

/// Runs work compiled for the widest fractions of this processor. The compiler may not change the order of fractions, nor join a product
/// and a sum, so the bits are the same as without.
#[inline]
pub(crate) fn with_wide_floats(work: impl Fractions) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn wide(work: impl Fractions) {
            work.run();
        }
        // SAFETY: the processor was asked.
        unsafe { wide(work) };
        return;
    }
    work.run();
}
