//! A vector in whole numbers: a quarter of the size, and products that no machine rounds differently.

/// Bytes before the numbers of a vector in its encoded form.
pub const VECTOR_SCALE_BYTES: usize = 4;
/// Largest whole number of a vector.
const MOST: f32 = 127.0;

/// A text as numbers: texts that say the same have vectors in about the same direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    numbers: Vec<i8>,
    scale: f32,
}

impl Vector {
    /// Of a vector of length one. What is no number counts as zero.
    #[must_use]
    pub fn from_unit(vector: &[f32]) -> Self {
        let furthest = vector.iter().fold(0.0_f32, |furthest, value| furthest.max(value.abs()));
        let by = if furthest > 0.0 { MOST / furthest } else { 0.0 };
        Self { numbers: vector.iter().map(|value| (value * by).round() as i8).collect(), scale: furthest / MOST }
    }

    /// The cosine of the angle between two vectors, -1 to 1 but for rounding; 0 if they are not of one model.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f64 {
        if self.numbers.len() != other.numbers.len() {
            return 0.0;
        }
        f64::from(dot(&self.wide(), &other.numbers)) * (f64::from(self.scale) * f64::from(other.scale))
    }

    /// Its whole numbers, and what one of them is worth.
    #[must_use]
    pub fn parts(&self) -> (&[i8], f32) {
        (&self.numbers, self.scale)
    }

    /// Its whole numbers in the width of [`dot`].
    #[must_use]
    pub fn wide(&self) -> Vec<i16> {
        self.numbers.iter().copied().map(i16::from).collect()
    }

    /// As it is stored: the scale, little-endian, then the numbers.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().map(|number| *number as u8);
        self.scale.to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// What [`Self::to_bytes`] gave; `None` for anything else.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, numbers) = bytes.split_first_chunk::<VECTOR_SCALE_BYTES>()?;
        let scale = f32::from_le_bytes(*scale);
        let is_scale = scale.is_finite() && scale >= 0.0;
        is_scale.then(|| Self { numbers: numbers.iter().map(|byte| *byte as i8).collect(), scale })
    }
}

/// The sum of the products of a vector's [`Vector::wide`] numbers with those of another, the same on every machine; of as many numbers as
/// both have, at most 100,000. One side is wide because processors multiply and add pairs of numbers of that width: a million vectors of
/// 384 numbers take two thirds of the time.
#[must_use]
pub fn dot(wide: &[i16], numbers: &[i8]) -> i32 {
    wide.iter().zip(numbers).map(|(a, b)| i32::from(*a) * i32::from(i16::from(*b))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_in_whole_numbers_keeps_its_direction() {
        let of = |x: f32, y: f32| Vector::from_unit(&[x, y]);
        assert!((of(1.0, 0.0).cosine(&of(1.0, 0.0)) - 1.0).abs() < 1e-6);
        assert!((of(0.6, 0.8).cosine(&of(1.0, 0.0)) - 0.6).abs() < 0.01);
        assert!((of(0.6, 0.8).cosine(&of(-0.6, -0.8)) + 1.0).abs() < 0.01);
        assert_eq!(of(0.6, 0.8).cosine(&Vector::from_unit(&[1.0])), 0.0);
        assert_eq!(Vector::from_unit(&[f32::NAN, 0.0]).cosine(&of(1.0, 0.0)), 0.0);
    }

    #[test]
    fn what_is_stored_comes_back_and_nothing_else_does() {
        let vector = Vector::from_unit(&[0.6, -0.8, 0.0]);
        assert_eq!(Vector::from_bytes(&vector.to_bytes()), Some(vector.clone()));
        assert_eq!(vector.to_bytes().len(), VECTOR_SCALE_BYTES + 3);
        assert_eq!(Vector::from_bytes(&[0; 3]), None);
        assert_eq!(Vector::from_bytes(&f32::NAN.to_le_bytes()), None);
    }
}
