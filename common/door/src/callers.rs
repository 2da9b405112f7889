//! Who calls: tokens, each with a tenant and scopes; and, where there are none, whoever is on this machine.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, StatusCode};
use precis_runtime::config::TokenScope;
use sha2::{Digest, Sha256};

use crate::problem::Problem;

/// Why an address is refused where no tokens are set up.
pub const LOOPBACK_ONLY: &str =
    "without a token the door listens on loopback addresses only; make one with `precis token new`";

/// A token, by its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiToken {
    /// Its name in the configuration.
    pub name: String,
    /// SHA-256 of the token.
    pub sha256: [u8; 32],
    /// The tenant whose sessions it sees.
    pub tenant: String,
    /// What it may do.
    pub scopes: BTreeSet<TokenScope>,
}

impl ApiToken {
    /// Builds a token from the hexadecimal digits of its hash; `None` if they are not 64.
    #[must_use]
    pub fn new(name: &str, sha256: &str, tenant: &str, scopes: &[TokenScope]) -> Option<Self> {
        let digits = sha256.as_bytes();
        if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        let scopes = scopes.iter().copied().collect();
        Some(Self { name: name.to_owned(), sha256: hash, tenant: tenant.to_owned(), scopes })
    }
}

/// Who may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callers {
    /// Whoever has one of these tokens.
    Tokens(Vec<ApiToken>),
    /// Whoever is on this machine, for this tenant (`None`: the default one).
    ThisMachine(Option<String>),
}

/// Who called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The name of its token; `None` where there are no tokens.
    pub token: Option<String>,
    /// Its tenant; `None` for the default one.
    pub tenant: Option<String>,
    scopes: BTreeSet<TokenScope>,
}

impl Caller {
    /// Whether it may do what `scope` says.
    #[must_use]
    pub fn may(&self, scope: TokenScope) -> bool {
        self.scopes.contains(&scope)
    }

    /// Checks that it may do what `scope` says.
    ///
    /// # Errors
    /// 403.
    pub fn must(&self, scope: TokenScope) -> Result<(), Problem> {
        if self.may(scope) {
            return Ok(());
        }
        let word = match scope {
            TokenScope::Submit => "submit",
            TokenScope::Read => "read",
            TokenScope::Operate => "operate",
        };
        let detail = format!("this token does not have the scope `{word}`");
        let remedy = format!(
            "use a token with this scope, or add `{word}` to the scopes of this one in the configuration of the door"
        );
        Err(Problem::new(StatusCode::FORBIDDEN, "scope_missing", detail).with_remedy(remedy))
    }
}

impl Callers {
    /// Whether a door for these callers may listen on `address`.
    #[must_use]
    pub fn may_listen(&self, address: SocketAddr) -> bool {
        match self {
            Self::Tokens(_) => true,
            Self::ThisMachine(_) => address.ip().is_loopback(),
        }
    }

    /// Returns who sent a request with these headers.
    ///
    /// # Errors
    /// 401 without a known token; 403 where there are no tokens, and a page of another site sent the request.
    pub fn identify(&self, headers: &HeaderMap) -> Result<Caller, Problem> {
        match self {
            Self::Tokens(tokens) => with_token(tokens, headers),
            Self::ThisMachine(tenant) => {
                from_here(headers)?;
                let scopes = [TokenScope::Submit, TokenScope::Read, TokenScope::Operate].into();
                Ok(Caller { token: None, tenant: tenant.clone(), scopes })
            }
        }
    }
}

fn with_token(tokens: &[ApiToken], headers: &HeaderMap) -> Result<Caller, Problem> {
    let refused = |detail: &str| {
        Err(Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
            .with_remedy("send `Authorization: Bearer TOKEN` with a token of `api_tokens`"))
    };
    let Some(given) = headers.get(AUTHORIZATION).and_then(|value| bearer(value.as_bytes())) else {
        return refused("the request has no token");
    };
    let hash: [u8; 32] = Sha256::digest(given).into();
    // Every token is compared, and every byte: the time does not tell how much of a hash was right.
    let found = tokens.iter().fold(None, |found, token| if same(&token.sha256, &hash) { Some(token) } else { found });
    match found {
        Some(token) => Ok(Caller {
            token: Some(token.name.clone()),
            tenant: Some(token.tenant.clone()),
            scopes: token.scopes.clone(),
        }),
        None => refused("the token is not one of this door"),
    }
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"Bearer ");
    Some(token.trim_ascii()).filter(|token| is_bearer && !token.is_empty())
}

fn same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    a.iter().zip(b).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

/// Checks that the request was made for this machine: a page in a browser can send requests to it, but not choose these headers.
fn from_here(headers: &HeaderMap) -> Result<(), Problem> {
    let foreign = |what: &str| {
        let detail = format!("{what} is not one of this machine, and this door has no tokens");
        let remedy = "call it as http://127.0.0.1 or http://localhost, or set up tokens with `precis token new`";
        Err(Problem::new(StatusCode::FORBIDDEN, "foreign_origin", detail).with_remedy(remedy))
    };
    let host = headers.get(HOST).and_then(|value| value.to_str().ok());
    if !host.is_some_and(is_loopback) {
        return foreign("the Host of the request");
    }
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
    if origin.is_some_and(is_loopback) { Ok(()) } else { foreign("the Origin of the request") }
}

/// Whether `host`, with or without a port, is a name of this machine's loopback.
fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, port)) if is_port(port) => name,
            _ => return false,
        },
        None => match host.split_once(':') {
            Some((name, port)) if is_port(&format!(":{port}")) => name,
            Some(_) => return false,
            None => host,
        },
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|digits| digits.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};
    use precis_proto::ids::sha256_hex;

    use super::*;

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_str(value).expect("a value"))).collect()
    }

    #[test]
    fn a_token_is_known_by_its_hash_and_sees_its_tenant() {
        let of = |name: &str, token: &str| {
            ApiToken::new(name, &sha256_hex(token.as_bytes()), name, &[TokenScope::Read]).expect("a hash")
        };
        let callers = Callers::Tokens(vec![of("legal", "first"), of("open", "second")]);
        let identified = |value: &str| callers.identify(&headers(&[(AUTHORIZATION, value)]));
        for value in ["Bearer second", "bearer second", "BEARER  second "] {
            let caller = identified(value).expect("known");
            assert_eq!((caller.token.as_deref(), caller.tenant.as_deref()), (Some("open"), Some("open")));
            assert_eq!(caller.must(TokenScope::Submit).expect_err("no scope").status, 403);
            assert_eq!(caller.must(TokenScope::Read), Ok(()));
        }
        for value in ["", "Bearer", "Bearer ", "Bearer third", "Basic second", "second", "Bearersecond"] {
            let problem = identified(value).expect_err("unknown");
            assert_eq!((problem.status, problem.code.as_str()), (401, "unauthorized"), "{value}");
            assert!(!format!("{problem:?}").contains("third"));
        }
        assert_eq!(callers.identify(&HeaderMap::new()).expect_err("no token").status, 401);
        assert_eq!(
            Callers::Tokens(Vec::new()).identify(&headers(&[(AUTHORIZATION, "Bearer x")])).expect_err("none").status,
            401
        );
    }

    #[test]
    fn a_hash_has_64_digits() {
        for (digits, is_hash) in [(63, false), (64, true), (65, false)] {
            assert_eq!(ApiToken::new("a", &"0".repeat(digits), "a", &[]).is_some(), is_hash, "{digits}");
        }
        assert_eq!(ApiToken::new("a", &"g".repeat(64), "a", &[]), None);
        assert_eq!(ApiToken::new("a", &"é".repeat(32), "a", &[]), None);
    }

    #[test]
    fn without_tokens_only_this_machine_is_served() {
        let callers = Callers::ThisMachine(None);
        for (address, may) in [
            ("127.0.0.1:1", true),
            ("127.8.0.1:1", true),
            ("[::1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.0.2.1:1", false),
        ] {
            assert_eq!(callers.may_listen(address.parse().expect("an address")), may, "{address}");
            assert!(Callers::Tokens(Vec::new()).may_listen(address.parse().expect("an address")));
        }
        for (host, origin, is_served) in [
            ("127.0.0.1:8080", None, true),
            ("localhost", None, true),
            ("LocalHost:80", None, true),
            ("[::1]:8080", None, true),
            ("127.0.0.1:8080", Some("http://localhost:3000"), true),
            ("127.0.0.1:8080", Some("https://evil.example"), false),
            ("127.0.0.1:8080", Some("null"), false),
            ("evil.example", None, false),
            ("127.0.0.1.evil.example", None, false),
            ("127.0.0.1:80@evil.example", None, false),
            ("[::1].evil.example", None, false),
            ("localhost:port", None, false),
            ("", None, false),
        ] {
            let mut pairs = vec![(HOST, host)];
            pairs.extend(origin.map(|origin| (ORIGIN, origin)));
            assert_eq!(callers.identify(&headers(&pairs)).is_ok(), is_served, "{host} {origin:?}");
        }
        assert!(callers.identify(&HeaderMap::new()).is_err());
    }
}
