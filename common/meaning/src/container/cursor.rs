//! Reads numbers from bytes, and says which part they were of when there are too few.

use super::error::ContainerError;

/// What is left of a file.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

/// How fractions are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fraction {
    /// Any number that is one and has an end.
    Finite,
    /// Such a number of at least zero.
    AtLeastZero,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    /// All that is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, part: &'static str, count: usize) -> Result<&'a [u8], ContainerError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(ContainerError::Short(part))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], ContainerError> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(ContainerError::Short(part))?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn byte(&mut self, part: &'static str) -> Result<u8, ContainerError> {
        Ok(self.array::<1>(part)?[0])
    }

    pub(crate) fn number(&mut self, part: &'static str) -> Result<u32, ContainerError> {
        Ok(u32::from_le_bytes(self.array(part)?))
    }

    pub(crate) fn long_number(&mut self, part: &'static str) -> Result<u64, ContainerError> {
        Ok(u64::from_le_bytes(self.array(part)?))
    }

    pub(crate) fn short_number(&mut self, part: &'static str) -> Result<u16, ContainerError> {
        Ok(u16::from_le_bytes(self.array(part)?))
    }

    /// A count of at most `most`.
    pub(crate) fn count(&mut self, part: &'static str, most: usize) -> Result<usize, ContainerError> {
        let found = self.number(part)?;
        if found as usize > most {
            return Err(ContainerError::TooLarge { part, found: u64::from(found), most: most as u64 });
        }
        Ok(found as usize)
    }

    pub(crate) fn fraction(&mut self, part: &'static str, check: Fraction) -> Result<f32, ContainerError> {
        let value = f32::from_le_bytes(self.array(part)?);
        let is_fine = value.is_finite() && (check == Fraction::Finite || value >= 0.0);
        if is_fine { Ok(value) } else { Err(ContainerError::NotFinite(part)) }
    }

    /// `count` fractions; memory is taken after their bytes were found.
    pub(crate) fn fractions(
        &mut self,
        part: &'static str,
        count: usize,
        check: Fraction,
    ) -> Result<Vec<f32>, ContainerError> {
        let mut bytes = Self::new(self.take(part, count.checked_mul(4).ok_or(ContainerError::Short(part))?)?);
        (0..count).map(|_| bytes.fraction(part, check)).collect()
    }

    /// `count` numbers; memory is taken after their bytes were found.
    pub(crate) fn numbers(&mut self, part: &'static str, count: usize) -> Result<Vec<u32>, ContainerError> {
        let bytes = self.take(part, count.checked_mul(4).ok_or(ContainerError::Short(part))?)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }

    /// `count` whole numbers of one byte.
    pub(crate) fn weights(&mut self, part: &'static str, count: usize) -> Result<Vec<i8>, ContainerError> {
        Ok(self.take(part, count)?.iter().map(|byte| *byte as i8).collect())
    }
}

pub(crate) fn put(to: &mut Vec<u8>, number: usize) {
    to.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

pub(crate) fn put_counted(to: &mut Vec<u8>, bytes: &[u8]) {
    put(to, bytes.len());
    to.extend_from_slice(bytes);
}

pub(crate) fn put_fractions(to: &mut Vec<u8>, values: &[f32]) {
    values.iter().for_each(|value| to.extend_from_slice(&value.to_le_bytes()));
}

pub(crate) fn put_numbers(to: &mut Vec<u8>, values: &[u32]) {
    values.iter().for_each(|value| to.extend_from_slice(&value.to_le_bytes()));
}

pub(crate) fn put_weights(to: &mut Vec<u8>, values: &[i8]) {
    to.extend(values.iter().map(|value| *value as u8));
}
