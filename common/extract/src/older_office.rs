//! Files of the container that Office used before 2007 (MS-CFB): which program wrote one, so that the refusal says what to save it as.
//!
//! They are not read. What they hide and strike out stands apart from their text, in tables of revisions and formats, and no kept library
//! reads these together with the text; text alone would say what was deleted.

/// The first bytes of such a file.
const CONTAINER: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// The name of a stream that only one kind of file has, and what to say about that kind.
const KINDS: [(&str, &str); 6] = [
    ("WordDocument", "a Word document of the form before 2007 (save it as .docx)"),
    ("Workbook", "an Excel workbook of the form before 2007 (save it as .xlsx)"),
    ("Book", "an Excel workbook of the form before 1997 (save it as .xlsx)"),
    ("PowerPoint Document", "a PowerPoint presentation of the form before 2007 (save it as .pptx)"),
    ("__properties_version1.0", "an Outlook message (save it as .eml)"),
    ("VisioDocument", "a Visio drawing (save it as .pdf)"),
];

/// The stream of a newer Office file behind a password.
const ENCRYPTED: &str = "EncryptedPackage";

/// What the file `bytes` looks like; `None` if it is not in that container.
pub(super) fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    let kind = |(name, _): &&(&str, &str)| has_stream(bytes, name);
    let known = KINDS.iter().find(kind).map(|(_, says)| *says);
    let any = "an Office file of the form before 2007 or an Outlook message (save it as .docx, .xlsx, .pptx or .eml)";
    bytes.starts_with(CONTAINER).then(|| known.unwrap_or(any))
}

/// Whether `bytes` are a newer Office file behind a password.
pub(super) fn is_encrypted(bytes: &[u8]) -> bool {
    bytes.starts_with(CONTAINER) && has_stream(bytes, ENCRYPTED)
}

/// Whether the container has a stream called `name`: its directory has names in UTF-16, ended by a zero.
fn has_stream(bytes: &[u8], name: &str) -> bool {
    let wanted: Vec<u8> = name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let entries = bytes.chunks_exact(ENTRY_BYTES);
    entries.into_iter().any(|entry| entry.starts_with(&wanted))
}

/// Size of an entry of the directory; sectors, and so entries, begin at multiples of it.
const ENTRY_BYTES: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn container(stream: &str) -> Vec<u8> {
        let mut bytes = CONTAINER.to_vec();
        bytes.resize(512, 0);
        bytes.extend(stream.encode_utf16().flat_map(u16::to_le_bytes));
        bytes.resize(1024, 0);
        bytes
    }

    #[test]
    fn a_refusal_says_what_to_save_the_file_as() {
        for (stream, want) in [
            ("WordDocument", ".docx"),
            ("Workbook", ".xlsx"),
            ("Book", ".xlsx"),
            ("PowerPoint Document", ".pptx"),
            ("__properties_version1.0", ".eml"),
            ("Else", ".docx, .xlsx, .pptx or .eml"),
        ] {
            let found = looks_like(&container(stream)).expect(stream);
            assert!(found.contains(&format!("save it as {want})")), "{stream}: {found}");
        }
        assert_eq!(looks_like(b"WordDocument"), None);
        assert!(is_encrypted(&container(ENCRYPTED)) && !is_encrypted(&container("Workbook")));
    }
}
