//! Packages for tests.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A package of these parts: name and content.
pub(in crate::extract) fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).expect("memory takes it");
        writer.write_all(content.as_bytes()).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}
