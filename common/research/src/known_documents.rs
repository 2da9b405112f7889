//! Documents that a session holds before it searches, such as those of an earlier session: hits in them do not count as new.

use std::collections::BTreeSet;

use super::search::Hit;

/// Documents that are read in any case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownDocuments {
    /// Hashes of their texts, `sha256:` and hex.
    pub texts: BTreeSet<String>,
    /// Addresses of pages, in the form that searches use for pages.
    pub pages: BTreeSet<String>,
}

impl KnownDocuments {
    /// Whether a hit is in one of these documents. A file is matched by its text, whatever its path, so a changed file is another document.
    /// A page is matched by its address.
    pub(super) fn hold(&self, hit: &Hit) -> bool {
        self.texts.contains(&hit.source_text_hash) || self.pages.contains(&hit.document)
    }
}

#[cfg(test)]
mod tests {
    use precis_proto::CharRange;

    use super::*;

    #[test]
    fn a_file_is_known_by_text_and_a_page_by_address() {
        let set = |text: &str| BTreeSet::from([text.to_owned()]);
        let known = KnownDocuments { texts: set("sha256:aa"), pages: set("https://a.example/") };
        for (document, hash, want) in [
            ("notes/a.md", "sha256:aa", true),
            ("moved/a.md", "sha256:aa", true),
            ("notes/a.md", "sha256:bb", false),
            ("https://a.example/", "", true),
            ("https://b.example/", "", false),
        ] {
            let hit = Hit {
                document: document.to_owned(),
                range: CharRange::new(0, 0),
                text: String::new(),
                source_text_hash: hash.to_owned(),
                ..Hit::default()
            };
            assert_eq!(known.hold(&hit), want, "{document} {hash}");
        }
    }
}
