//! [`Repeats`]: cells and rows that a document writes once and shows many times.

/// Most bytes that repeated cells and rows add to a document. Chosen: a tenth of the characters of the longest books.
const MAX_REPEATED_BYTES: usize = 400_000;

/// What repeated cells may still add.
#[derive(Debug)]
pub(super) struct Repeats {
    left: usize,
    /// Cells and rows that were left out.
    pub(super) left_out: usize,
}

impl Default for Repeats {
    fn default() -> Self {
        Self { left: MAX_REPEATED_BYTES, left_out: 0 }
    }
}

impl Repeats {
    /// How often what takes `bytes` is written if the document shows it `times`, at least once.
    pub(super) fn times_written(&mut self, bytes: usize, times: usize) -> usize {
        let more = times.saturating_sub(1).min(self.left / bytes.max(1));
        self.left -= more * bytes.max(1);
        self.left_out += times.saturating_sub(1) - more;
        1 + more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_cells_are_bounded() {
        for (times, written) in [
            (MAX_REPEATED_BYTES, MAX_REPEATED_BYTES),
            (MAX_REPEATED_BYTES + 1, MAX_REPEATED_BYTES + 1),
            (MAX_REPEATED_BYTES + 2, MAX_REPEATED_BYTES + 1),
        ] {
            let mut repeats = Repeats::default();
            assert_eq!(repeats.times_written(1, times), written);
            assert_eq!(repeats.left_out, times - written);
        }
        assert_eq!(Repeats::default().times_written(0, 0), 1);
    }
}
