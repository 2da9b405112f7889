//! The path that all addresses of a door are below, where a proxy gives it a part of a host. Pure.

/// Longest base path, in bytes.
const MAX_BASE_PATH_BYTES: usize = 200;

/// A path such as `/precis`, or none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BasePath(String);

/// What is no base path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a path such as /precis, of letters, digits, `-`, `.`, `_` and `~`, and of at most {MAX_BASE_PATH_BYTES} bytes"
)]
pub struct BasePathFault;

impl BasePath {
    /// Reads a path; `/` and an empty text are none.
    ///
    /// # Errors
    /// [`BasePathFault`].
    pub fn parse(text: &str) -> Result<Self, BasePathFault> {
        let path = text.strip_suffix('/').unwrap_or(text);
        if path.is_empty() {
            return Ok(Self::default());
        }
        let rest = path.strip_prefix('/').filter(|_| path.len() <= MAX_BASE_PATH_BYTES).ok_or(BasePathFault)?;
        let is_plain = |part: &str| {
            let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            !matches!(part, "" | "." | "..") && part.bytes().all(is_known)
        };
        if rest.split('/').all(is_plain) { Ok(Self(path.to_owned())) } else { Err(BasePathFault) }
    }

    /// The path without a slash at its end; empty for none.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_path_is_plain_and_ends_without_a_slash() {
        for (text, expected) in [
            ("", Some("")),
            ("/", Some("")),
            ("/precis", Some("/precis")),
            ("/precis/", Some("/precis")),
            ("/a/b-1/~c_d.e", Some("/a/b-1/~c_d.e")),
            ("precis", None),
            ("//", None),
            ("/a//b", None),
            ("/../etc", None),
            ("/.", None),
            ("/a b", None),
            ("/{id}", None),
            ("/%2e", None),
            ("/é", None),
        ] {
            assert_eq!(BasePath::parse(text).ok().as_ref().map(BasePath::as_str), expected, "{text}");
        }
        for (bytes, is_one) in [(199, true), (200, true), (201, false)] {
            assert_eq!(BasePath::parse(&format!("/{}", "x".repeat(bytes - 1))).is_ok(), is_one, "{bytes}");
        }
    }
}
