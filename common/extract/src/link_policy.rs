//! Decides which sources without a text are fetched. The address of a PDF is a document that was meant, any other address is a linked page:
//! each has its own setting.

use super::limits::Hint;

/// The settings for fetching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowPolicy {
    /// Whether to fetch pages that are not PDFs according to their address.
    pub follow_links: bool,
    /// Whether to fetch PDFs.
    pub fetch_pdfs: bool,
}

impl FollowPolicy {
    /// Checks whether the source `hint`, named by its address, is fetched. Its content is not known yet, so only the address decides.
    ///
    /// # Errors
    /// The name of the setting that forbids it.
    pub fn follows(self, hint: &Hint<'_>) -> Result<(), &'static str> {
        match (hint.is_pdf(), self.fetch_pdfs, self.follow_links) {
            (true, false, _) => Err("digest_fetch_pdfs"),
            (false, _, false) => Err("follow_links"),
            (true, true, _) | (false, _, true) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decision_table_decides() {
        let pdf = "https://a.org/x.PDF?download=1";
        for (name, content_type, follow_links, fetch_pdfs, want) in [
            (pdf, None, true, true, Ok(())),
            (pdf, None, false, true, Ok(())),
            (pdf, None, true, false, Err("digest_fetch_pdfs")),
            (pdf, None, false, false, Err("digest_fetch_pdfs")),
            ("https://a.org/get", Some("application/pdf"), true, false, Err("digest_fetch_pdfs")),
            ("https://a.org/x.html", None, true, false, Ok(())),
            ("https://a.org/x.html", None, true, true, Ok(())),
            ("https://a.org/x.html", None, false, true, Err("follow_links")),
            ("https://a.org/pdf/", None, true, false, Ok(())),
        ] {
            let policy = FollowPolicy { follow_links, fetch_pdfs };
            assert_eq!(policy.follows(&Hint { content_type, name }), want, "{name} {follow_links} {fetch_pdfs}");
        }
    }
}
