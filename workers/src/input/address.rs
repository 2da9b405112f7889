//! Addresses of pages.

use precis_proto::request::MAX_ADDRESS_BYTES;

use crate::cli::exit::{CommandFailure, Exit};

/// Longest part of an address that a message about its length repeats, in characters.
const SHOWN_CHARS: usize = 60;

/// Checks the form of `url`: `http` or `https`, a host, at most [`MAX_ADDRESS_BYTES`], no credentials (they would end up in the report). The guarded client decides
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
    if url.len() > MAX_ADDRESS_BYTES {
        let (start, bytes): (String, _) = (url.chars().take(SHOWN_CHARS).collect(), url.len());
        let message = format!("--url {start}…: an address must have at most {MAX_ADDRESS_BYTES} bytes, got {bytes}");
        return Err(CommandFailure::new(Exit::Usage, "invalid_url", message)
            .with_remedy("save the page and pass the file instead"));
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
    fn an_address_is_accepted_to_the_length_of_requests() {
        for (bytes, is_taken) in [(MAX_ADDRESS_BYTES, true), (MAX_ADDRESS_BYTES + 1, false)] {
            let checked = check_url(&format!("{:a<bytes$}", "http://e.example/"));
            assert_eq!(checked.is_ok(), is_taken, "{bytes}");
            assert!(checked.err().is_none_or(|failure| failure.message.len() < 200));
        }
    }

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
