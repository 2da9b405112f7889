//! Paths in the content store. An id is external input: whatever it contains, it becomes exactly one path segment.

use object_store::path::Path;
use precis_proto::ids::sha256_hex;
use precis_proto::source::ContentRef;

/// Longest encoded id that is used unhashed, in bytes. File systems allow 255; files being written get a suffix.
const LONGEST: usize = 200;

/// Directory of all content named by its hash.
pub(super) const BLOBS: &str = "blobs";
/// Directory of all content with a given name.
pub(super) const NAMED: &str = "named";

/// `blobs/{first two digits}/{digits}`.
pub(super) fn blob(content: &ContentRef) -> Path {
    let hex = content.hex();
    Path::from_iter([BLOBS, &hex[..2], hex])
}

/// `named/{kind}/{id}`, both encoded.
pub(super) fn named_path(kind: &str, id: &str) -> Path {
    // Every byte of an encoded segment is a plain one or `%`, and no segment is empty or dots only.
    Path::parse(format!("{NAMED}/{}/{}", segment(kind), segment(id))).unwrap_or_else(|_| {
        let hashed = [kind, id].map(|text| sha256_hex(text.as_bytes()));
        Path::from_iter([NAMED, &hashed[0], &hashed[1]])
    })
}

/// The directory of all content of a kind.
pub(super) fn all_named(kind: &str) -> Path {
    Path::parse(format!("{NAMED}/{}", segment(kind))).unwrap_or_else(|_| Path::from(NAMED))
}

/// The content of another kind with the same id as the named content at `path`.
pub(super) fn namesake(path: &Path, kind: &str) -> Path {
    let encoded = path.filename().unwrap_or_default();
    Path::parse(format!("{}/{encoded}", all_named(kind))).unwrap_or_else(|_| path.clone())
}

/// An empty object, written to read the date it gets.
pub(super) fn clock_probe() -> Path {
    Path::from("clock")
}

/// Returns the id a path was made from; `None` if the path holds only its hash.
pub(super) fn id_of(path: &Path) -> Option<String> {
    let encoded = path.filename()?;
    if encoded.starts_with("%-") {
        return (encoded == "%-").then(String::new);
    }
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let hex = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

/// Encodes everything but `[A-Za-z0-9_-]` as `%` and two digits, byte by byte. A result longer than [`LONGEST`] becomes `%-` plus a
/// hash, which no encoding produces. Different texts give different segments.
fn segment(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    match encoded.len() {
        0 => "%-".to_owned(),
        1..=LONGEST => encoded,
        _ => format!("%-{}", sha256_hex(text.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn an_id_becomes_one_plain_segment() {
        for (id, expected) in [
            ("session-1_A", "session-1_A"),
            ("..", "%2E%2E"),
            (".", "%2E"),
            ("", "%-"),
            ("a/../b", "a%2F%2E%2E%2Fb"),
            ("é", "%C3%A9"),
            ("%2E", "%252E"),
            ("a b#1", "a%20b%231"),
        ] {
            assert_eq!(segment(id), expected);
            assert_eq!(named_path("result", id).parts().count(), 3, "{id}");
            assert_eq!(id_of(&named_path("result", id)).as_deref(), Some(id));
            assert_eq!(namesake(&named_path("result", id), "request"), named_path("request", id));
        }
    }

    #[test]
    fn the_id_of_a_hashed_name_is_not_known() {
        assert_eq!(id_of(&named_path("result", &"x".repeat(LONGEST + 1))), None);
    }

    #[test]
    fn different_ids_have_different_paths_however_long_they_are() {
        let long = "x".repeat(LONGEST);
        let ids = ["", "%-", "%2D", long.as_str(), &format!("{long}a"), &format!("{long}b"), "a", "A", "a/b", "a%2Fb"];
        let paths: BTreeSet<String> = ids.iter().map(|id| named_path("k", id).to_string()).collect();
        assert_eq!(paths.len(), ids.len());
        assert!(paths.iter().all(|p| p.len() <= LONGEST + "named/k/".len()));
    }
}
