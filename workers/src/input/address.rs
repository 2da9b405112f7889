//! Addresses of pages.

use crate::cli::exit::{CommandFailure, Exit};

/// Checks the form of `url`: `http` or `https`, a host, no credentials (they would end up in the report). The guarded client decides
/// later whether the host may be reached.
///
/// # Errors
/// [`Exit::Usage`] with the rule that `url` breaks.
pub fn check_url(url: &str) -> Result<(), CommandFailure> {
    let usage = |rule: &str| Err(CommandFailure::new(Exit::Usage, "invalid_url", format!("--url {url}: {rule}")));
    // Before the other rules, whose messages contain the address: a password must not be printed, whatever the scheme is.
    let authority =
        url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        let message = "--url: an address with a user name or password would end up in the report";
        return Err(CommandFailure::new(Exit::Usage, "invalid_url", message));
    }
    let lower = url.to_ascii_lowercase();
    let Some(rest) = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")) else {
        return usage("an address must start with http:// or https://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') {
        return usage("the address has no host");
    }
    if url.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return usage("an address must not contain white space");
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
        for url in ["http://ada:secret@h/", "ftp://ada:secret@h/", "ada:secret@h", "HTTPS://ada:secret@h?q"] {
            assert!(!check_url(url).expect_err("refused").message.contains("secret"), "{url}");
        }
    }
}
