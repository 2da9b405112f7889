//! A few weights that are far larger than the others of their row, divided among copies of what they multiply.
//!
//! A row of whole numbers has one scale, which its largest weight decides: where that is forty times the usual one, the usual ones have
//! three bits left. Such weights stand in a few columns of the second matrix of a layer's second half. Multiplied is what the first
//! matrix made, a number a row; so with a copy of that row and half the weight in each of two columns the sum is the same, and the scale
//! half as large (Zhao et al., "Improving Neural Network Quantization without Retraining using Outlier Channel Splitting", 2019).

use crate::encoder::{Matrix, whole_rows};
use crate::limits::{MAX_INNER, ROW_STEP};

/// Columns that a matrix gets beside its own, where the limit leaves room: of 32, 64, 128 and 256 the fewest had the nearest vectors.
const COPIES: usize = ROW_STEP;

/// How many columns there will be.
pub(super) fn inner_of(inner: usize) -> usize {
    if inner + COPIES <= MAX_INNER { inner + COPIES } else { inner }
}

/// The number of columns that each column of these rows becomes: [`COPIES`] more than there are together, each time one more for the
/// column with the largest weight compared with its row.
fn shares(rows: &[f32], length: usize) -> Vec<usize> {
    let mut largest = vec![0.0_f64; length];
    for row in rows.chunks_exact(length) {
        let square: f64 = row.iter().map(|weight| f64::from(*weight) * f64::from(*weight)).sum();
        let usual = (square / length as f64).sqrt();
        for (largest, weight) in largest.iter_mut().zip(row).filter(|_| usual > 0.0) {
            *largest = largest.max(f64::from(weight.abs()) / usual);
        }
    }
    let mut shares = vec![1_usize; length];
    for _ in length..inner_of(length) {
        let of = |at: usize| largest[at] / shares[at] as f64;
        let next = (1..length).fold(0, |most, at| if of(at) > of(most) { at } else { most });
        shares[next] += 1;
    }
    shares
}

/// Which column of the rows each column becomes a share of: first all in their order, then the copies.
fn columns(shares: &[usize]) -> Vec<usize> {
    let copies = shares.iter().enumerate().flat_map(|(at, count)| std::iter::repeat_n(at, count - 1));
    (0..shares.len()).chain(copies).collect()
}

/// The two matrices of a layer's second half, with [`inner_of`] numbers between them: `rows` are those of the second, of `wide`'s count of
/// rows each.
pub(super) fn divided(wide: Matrix, rows: &[f32], bias: Vec<f32>) -> (Matrix, Matrix) {
    let inner = wide.scales.len();
    let shares = shares(rows, inner);
    let columns = columns(&shares);
    let length = wide.weights.len() / inner;
    let copied = Matrix {
        weights: columns.iter().flat_map(|at| &wide.weights[at * length..(at + 1) * length]).copied().collect(),
        scales: columns.iter().map(|at| wide.scales[*at]).collect(),
        bias: columns.iter().map(|at| wide.bias[*at]).collect(),
    };
    let (mut weights, mut scales) = (Vec::new(), Vec::new());
    for row in rows.chunks_exact(inner) {
        let shared: Vec<f32> = columns.iter().map(|at| row[*at] / shares[*at] as f32).collect();
        let (more, scale) = whole_rows(&shared, shared.len());
        weights.extend(more);
        scales.extend(scale);
    }
    (copied, Matrix { weights, scales, bias })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of 64 weights near one tenth, one of which is large.
    fn rows(large: f32) -> Vec<f32> {
        let usual = |at: usize| if at.is_multiple_of(2) { 0.1 } else { -0.09 };
        let mut rows: Vec<f32> = (0..4 * 64).map(usual).collect();
        rows[64 + 7] = large;
        rows
    }

    #[test]
    fn the_largest_weight_has_the_most_columns() {
        let shares = shares(&rows(4.0), 64);
        assert_eq!(shares.iter().sum::<usize>(), 64 + COPIES);
        assert!(shares.iter().enumerate().all(|(at, count)| at == 7 || *count < shares[7]), "{shares:?}");
        assert_eq!(columns(&[1, 3, 1, 2]), [0, 1, 2, 3, 1, 1, 3]);
    }

    #[test]
    fn products_are_the_same_and_their_weights_nearer() {
        let rows = rows(4.0);
        let wide = Matrix {
            weights: (0..64 * 32).map(|at| (at % 251) as u8 as i8).collect(),
            scales: (0..64).map(|at| at as f32).collect(),
            bias: (0..64).map(|at| -(at as f32)).collect(),
        };
        let (copied, narrow) = divided(wide.clone(), &rows, vec![0.0; 4]);
        let columns = columns(&shares(&rows, 64));
        assert_eq!((copied.scales.len(), copied.bias.len(), narrow.weights.len()), (96, 96, 4 * 96));
        for (row, at) in copied.weights.chunks_exact(32).zip(&columns) {
            assert_eq!(row, &wide.weights[at * 32..(at + 1) * 32]);
        }
        for ((row, exact), scale) in narrow.weights.chunks_exact(96).zip(rows.chunks_exact(64)).zip(&narrow.scales) {
            for (column, exact) in exact.iter().enumerate() {
                let of_column = columns.iter().zip(row).filter(|(at, _)| **at == column);
                let sum: f32 = of_column.map(|(_, weight)| f32::from(*weight) * scale).sum();
                assert!((sum - exact).abs() < 0.01, "{column}: {sum} {exact}");
            }
        }
        assert!(narrow.scales[1] < whole_rows(&rows[64..128], 64).1[0] / 4.0);
    }

    #[test]
    fn the_copies_stay_within_the_limit_of_a_model() {
        let most = MAX_INNER - COPIES;
        let given = [most - 1, most, most + 1].map(inner_of);
        assert_eq!(given, [MAX_INNER - 1, MAX_INNER, most + 1]);
        let none = shares(&vec![0.0; 2 * MAX_INNER], MAX_INNER);
        assert!(none.iter().all(|count| *count == 1));
    }
}
