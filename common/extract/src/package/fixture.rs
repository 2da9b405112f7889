//! Packages for tests.

use std::io::{Cursor, Write};

use precis_text::Leaf;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Builds a package from names and contents.
pub(crate) fn zip_parts(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).expect("memory takes it");
        writer.write_all(content.as_bytes()).expect("memory takes it");
    }
    writer.finish().expect("memory takes it").into_inner()
}

/// A leaf as one line: kind with level or table, `h` for a header row, marker, and text; cells are separated by `|`.
pub(crate) fn render_leaf(leaf: &Leaf) -> String {
    let number = leaf.level.map(u32::from).or(leaf.table).map_or(String::new(), |number| number.to_string());
    let marker = leaf.marker.clone().unwrap_or_default();
    let cells: Vec<&str> = leaf.cells.iter().map(|cell| &leaf.text[cell.clone()]).collect();
    let text = if cells.is_empty() { leaf.text.clone() } else { cells.join("|") };
    format!("{}{number}{} {marker}: {text}", leaf.kind.as_str(), if leaf.is_header { "h" } else { "" })
}
