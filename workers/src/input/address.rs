//! Addresses of pages.

use crate::cli::exit::{CommandFailure, Exit};

/// Checks that `url` is a page that may be asked for: `http` or `https`, a host, no credentials (they would end up in the report).
/// Whether the host may be reached is for the guarded client to say.
///
/// # Errors
/// [`Exit::Usage`] names the rule that it breaks.
pub fn check_url(url: &str) -> Result<(), CommandFailure> {
    let usage = |what: &str| Err(CommandFailure::new(Exit::Usage, "invalid_url", format!("--url {url}: {what}")));
    let lower = url.to_ascii_lowercase();
    let Some(rest) = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")) else {
        return usage("an address starts with http:// or https://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        let message = "--url: an address with a user name or password would end up in the report";
        return Err(CommandFailure::new(Exit::Usage, "invalid_url", message));
    }
    if host.is_empty() || host.starts_with(':') {
        return usage("it names no host");
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return usage("an address holds no white space");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_web_address_is_taken() {
        for (url, fine) in [
            ("https://example.org/a?b=c@d", true),
            ("HTTP://example.org", true),
            ("http://[::1]:8080/", true),
            ("ftp://example.org", false),
            ("file:///etc/passwd", false),
            ("example.org", false),
            ("http://", false),
            ("http://:80/", false),
            ("http://a b/", false),
            ("http://ada:secret@example.org/", false),
        ] {
            assert_eq!(check_url(url).is_ok(), fine, "{url}");
        }
        assert!(!check_url("http://ada:secret@h/").expect_err("refused").message.contains("secret"));
    }
}
