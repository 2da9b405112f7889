//! The record of an accepted request: its hash and its user.

use bytes::Bytes;

/// Kind of the named contents that distinguish a repeated request from another one under the same session id.
pub(super) const REQUESTS: &str = "requests";

/// What is kept under a session's id from its acceptance on: the request's hash and its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionRecord {
    /// SHA-256 of the request, in hexadecimal digits.
    pub(super) hash: String,
    /// The user who submitted it, if known.
    pub(super) user: Option<String>,
}

impl SessionRecord {
    pub(super) fn to_bytes(&self) -> Bytes {
        match &self.user {
            Some(user) => Bytes::from(format!("{}\n{user}", self.hash)),
            None => Bytes::from(self.hash.clone()),
        }
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        match text.split_once('\n') {
            Some((hash, user)) => Self { hash: hash.to_owned(), user: Some(user.to_owned()) },
            None => Self { hash: text.into_owned(), user: None },
        }
    }

    /// Whether `other` is the same request by the same user. A record without a user (kept before users were recorded, or from a caller
    /// that names none) admits anyone who submits the same request.
    pub(super) fn admits(&self, other: &Self) -> bool {
        self.hash == other.hash && (self.user.is_none() || self.user == other.user)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_admits_the_same_request_of_the_same_user_only() {
        let of =
            |hash: &str, user: Option<&str>| SessionRecord { hash: hash.to_owned(), user: user.map(str::to_owned) };
        for record in [of("h", None), of("h", Some("alice"))] {
            assert_eq!(SessionRecord::from_bytes(&record.to_bytes()), record);
        }
        assert!(of("h", Some("alice")).admits(&of("h", Some("alice"))));
        assert!(!of("h", Some("alice")).admits(&of("h", Some("bob"))));
        assert!(!of("h", Some("alice")).admits(&of("h", None)));
        assert!(!of("h", Some("alice")).admits(&of("other", Some("alice"))));
        assert!(of("h", None).admits(&of("h", Some("alice"))));
    }
}
