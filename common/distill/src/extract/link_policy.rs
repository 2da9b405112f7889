//! Which sources without a text are fetched. An address of a PDF is a document that was meant,
//! any other is a page that was linked: each has its own setting.

use super::limits::Hint;

/// What may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FollowPolicy {
    /// Pages that are no PDF, as far as their address tells.
    pub follow_links: bool,
    /// PDFs.
    pub fetch_pdfs: bool,
}

impl FollowPolicy {
    /// Whether the source `hint`, its address as name, is fetched. Content decides later what it is; the address decides here,
    /// because nothing else is known yet.
    ///
    /// # Errors
    /// The setting that stands against it.
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
