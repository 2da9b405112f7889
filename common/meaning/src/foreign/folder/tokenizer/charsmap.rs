//! SentencePiece's map of characters ("precompiled_charsmap"): a trie in a double array, then the replacements, each ended by a zero.
//!
//! Of its entries those for one character are taken. Those for several join letters and accents, which Precis does before: its texts
//! are in the form NFC.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::file::FILE;
use crate::container::{ContainerError, Reader};
use crate::foreign::folder::error::FolderError;
use crate::tokens::Replaced;

const PART: &str = "normalization map";

pub(super) fn charsmap(step: &Value) -> Result<Replaced, FolderError> {
    let invalid = || FolderError::invalid(FILE, "its map of characters (precompiled_charsmap) is not whole");
    let encoded = step.get("precompiled_charsmap").and_then(Value::as_str).ok_or_else(invalid)?;
    let bytes = STANDARD.decode(encoded).map_err(|_| invalid())?;
    let mut from = Reader::new(&bytes);
    let map = read(&mut from).map_err(|_| invalid())?;
    let (mut characters, mut ends, mut to) = (Vec::new(), Vec::new(), Vec::new());
    for character in '\u{1}'..=char::MAX {
        let Some(found) = map.replacement(character) else { continue };
        characters.push(u32::from(character));
        to.extend(std::str::from_utf8(found).map_err(|_| invalid())?.chars().map(u32::from));
        ends.push(to.len() as u32);
    }
    Replaced::new(characters, ends, to).ok_or_else(invalid)
}

struct Map<'a> {
    units: Vec<u32>,
    replacements: &'a [u8],
}

fn read<'a>(from: &mut Reader<'a>) -> Result<Map<'a>, ContainerError> {
    let bytes = from.number(PART)? as usize;
    let units = from.numbers(PART, bytes / 4)?;
    Ok(Map { units, replacements: from.rest() })
}

/// A unit of the array (of the library "darts-clone").
#[derive(Clone, Copy)]
struct Unit(u32);

impl Unit {
    fn offset(self) -> usize {
        ((self.0 >> 10) << ((self.0 & (1 << 9)) >> 6)) as usize
    }

    fn is_of(self, byte: u8) -> bool {
        self.0 & ((1 << 31) | 0xFF) == u32::from(byte)
    }

    fn has_value(self) -> bool {
        self.0 & (1 << 8) != 0
    }

    fn value(self) -> usize {
        (self.0 & !(1 << 31)) as usize
    }
}

impl<'a> Map<'a> {
    fn unit(&self, at: usize) -> Option<Unit> {
        self.units.get(at).copied().map(Unit)
    }

    /// `None` if a character stays as it is.
    fn replacement(&self, character: char) -> Option<&'a [u8]> {
        let mut unit = self.unit(0)?;
        let mut at = unit.offset();
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            at ^= usize::from(byte);
            unit = self.unit(at).filter(|unit| unit.is_of(byte))?;
            at ^= unit.offset();
        }
        let value = unit.has_value().then(|| self.unit(at)).flatten()?.value();
        self.replacements.get(value..)?.split(|byte| *byte == 0).next()
    }
}
