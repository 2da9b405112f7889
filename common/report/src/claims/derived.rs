//! Figures that follow from other figures: sums, differences, products, ratios, shares, roundings, units, scales and notations.
//!
//! What follows is never a doubt. That something follows does not prove it: with many figures at hand much does.

use super::known_words::Measure;
use super::wording::Word;

/// Most figures of passages that are combined; the first ones. Bounds time. Chosen, not measured.
pub(super) const MOST_FIGURES: usize = 200;
/// Numbers up to this one, written as words, count things and need not be written anywhere.
const LARGEST_COUNT: f64 = 12.0;
/// Factors between units in use: percent and permille, time, binary and decimal prefixes.
const FACTORS: [f64; 12] =
    [100.0, 1_000.0, 60.0, 3_600.0, 24.0, 7.0, 365.0, 12.0, 1_024.0, 1_000_000.0, 1_000_000_000.0, 1_048_576.0];
/// Share by which a computed figure may differ besides its rounding.
const TOLERANCE: f64 = 1e-9;

/// The figures of the passages that a statement cites.
#[derive(Debug, Clone, Default)]
pub(super) struct Figures {
    values: Vec<f64>,
}

impl Figures {
    /// The figures among `words` of `text`, each also with the scale behind it, and those of fractions and powers.
    pub(super) fn of_words(text: &str, words: &[Word]) -> Self {
        let mut values: Vec<f64> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            let own: Vec<f64> = readings(word).collect();
            if let Some(Measure::Scale(scale)) = words.get(at + 1).and_then(|next| next.unit) {
                values.extend(own.iter().map(|value| value * scale.factor()));
            }
            if let Some((next, between)) = words.get(at + 1).and_then(|next| {
                let between = text.get(word.range.end..next.range.start)?.trim().to_owned();
                next.is_number().then_some((next, between))
            }) {
                for value in &own {
                    values.extend(readings(next).filter_map(|other| joined_value(*value, &between, other)));
                }
            }
            values.extend(own);
        }
        values.sort_by(f64::total_cmp);
        values.dedup();
        Self { values }
    }

    /// Adds those of `other`.
    pub(super) fn extend(&mut self, other: &Self) {
        self.values.extend(&other.values);
        self.values.sort_by(f64::total_cmp);
        self.values.dedup();
        self.values.truncate(MOST_FIGURES);
    }

    /// Whether the number `word` is one of them as it is written.
    pub(super) fn have(&self, word: &Word) -> bool {
        readings(word).any(|value| self.values.contains(&value))
    }

    /// Whether the number `word` of a statement follows from them; `is_spelled` if it is written in letters.
    pub(super) fn give(&self, word: &Word, scale: Option<&Word>, is_spelled: bool) -> bool {
        let scale = scale.and_then(|next| match &next.unit {
            Some(Measure::Scale(scale)) => Some(scale.factor()),
            Some(Measure::Unit(_)) | None => None,
        });
        readings(word).any(|value| {
            let step = scale.unwrap_or(1.0) * step_of(&word.key);
            (is_spelled && value <= LARGEST_COUNT) || self.give_value(value * scale.unwrap_or(1.0), step)
        })
    }

    /// Whether `value`, written in steps of `step`, is one of them, or computed from one or two.
    fn give_value(&self, value: f64, step: f64) -> bool {
        let is_it = |computed: f64| {
            let room = step / 2.0 + computed.abs() * TOLERANCE;
            computed.is_finite()
                && ((computed - value).abs() <= room || (computed - value).abs() < step && computed > value)
        };
        let alone = |a: f64| is_it(a) || FACTORS.iter().any(|factor| is_it(a * factor) || is_it(a / factor));
        let pair = |a: f64, b: f64| {
            let ratio = a / b;
            [a + b, a - b, a * b, ratio, ratio * 100.0, (ratio - 1.0) * 100.0].into_iter().any(is_it)
        };
        self.values.iter().any(|a| alone(*a))
            || self.values.iter().any(|a| self.values.iter().any(|b| (a != b || *a == 1.0) && pair(*a, *b)))
    }
}

/// The value of two numbers with `between` them: a fraction or a power.
fn joined_value(a: f64, between: &str, b: f64) -> Option<f64> {
    match between {
        "/" if b != 0.0 => Some(a / b),
        "**" | "^" if b.abs() <= 256.0 => Some(a.powf(b)),
        _ => None,
    }
}

fn readings(word: &Word) -> impl Iterator<Item = f64> {
    word.figures.iter().filter_map(|reading| reading.parse::<f64>().ok()).filter(|value| value.is_finite())
}

/// The step in which a number is written: 0.1 for `8.2`, 1 for `8`, 100 for `1,600`.
fn step_of(written: &str) -> f64 {
    let digits: String = written.chars().filter(|c| c.is_ascii_digit()).collect();
    let behind = written.rsplit(['.', ',']).next().filter(|_| written.contains(['.', ',']));
    match behind.map(str::len) {
        Some(3) | None => {
            let zeros = digits.len() - digits.trim_end_matches('0').len();
            10_f64.powi(i32::try_from(zeros.min(digits.len().saturating_sub(1))).unwrap_or(0))
        }
        Some(places) => 10_f64.powi(-i32::try_from(places).unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::wording::words;
    use super::*;

    fn follows(said: &str, given: &str) -> bool {
        let figures = Figures::of_words(given, &words(given));
        let said_words = words(said);
        let at = said_words.iter().position(Word::is_number).expect("a number");
        let is_spelled = !said_words[at].key.contains(|c: char| c.is_ascii_digit());
        figures.give(&said_words[at], said_words.get(at + 1), is_spelled)
    }

    #[test]
    fn what_is_computed_rounded_converted_or_written_otherwise_follows() {
        for (said, given) in [
            ("The constant is 8,192.", "It is `2**13`."),
            ("It is 0.0625.", "The ratio is 1/16."),
            ("About 22 % come from blobs.", "It is 21.5% of its income."),
            ("More than 20 % come from blobs.", "It is 21.5% of its income."),
            ("That is 0.4 MB.", "A target of 0.375 MB."),
            ("They differ by 28 million euros.", "The cost is 212 million. The cost is 240 million."),
            ("It is 13 % more.", "212 million and 240 million euros"),
            ("It rose by 158,600.", "It was 25,000 and is 183,600."),
            ("It takes 60 minutes.", "It takes 1 hour."),
            ("Both cost 750,000 gas.", "It charges 50,000 for each of 15."),
            ("The three mechanisms differ.", "No number."),
            ("It is 1,500,000.", "It is 1.5 million."),
        ] {
            assert!(follows(said, given), "{said} / {given}");
        }
    }

    #[test]
    fn a_figure_that_comes_from_nowhere_does_not_follow() {
        for (said, given) in [
            ("The fee is 37.", "The fee is 41."),
            ("In 1878 it was built.", "It was built in 1887."),
            ("It is 8.4 %.", "It is 8.2 %."),
            ("It is 5.", "No number."),
        ] {
            assert!(!follows(said, given), "{said} / {given}");
        }
    }

    #[test]
    fn no_more_figures_are_combined_than_the_limit() {
        let many = |count: usize| Figures { values: (0..count).map(|n| n as f64).collect() };
        for (count, kept) in
            [(MOST_FIGURES - 1, MOST_FIGURES - 1), (MOST_FIGURES, MOST_FIGURES), (MOST_FIGURES + 1, MOST_FIGURES)]
        {
            let mut figures = Figures::default();
            figures.extend(&many(count));
            assert_eq!(figures.values.len(), kept);
        }
    }
}
