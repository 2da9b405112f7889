//! The id of a new session: from the caller's key, so that any door gives the same one, or by chance.

use axum::http::{HeaderMap, HeaderName};
use precis_proto::{CollectionId, SessionId};
use precis_runtime::content::{ContentError, ContentStore};

use crate::callers::Caller;
use crate::limits::MAX_KEY_BYTES;
use crate::problem::Problem;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Hexadecimal digits of an id: 128 bits.
const ID_DIGITS: usize = 32;
/// Purpose of the names that ids are made of.
const PURPOSE: &str = "http-session";
const BATCH_PURPOSE: &str = "http-batch";
const COLLECTION_PURPOSE: &str = "http-collection";

/// Returns the `Idempotency-Key` of a request, if it has one.
///
/// # Errors
/// 400 if it is empty, too long, or not made of visible ASCII characters.
pub(super) fn read_key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(KEY) else { return Ok(None) };
    let bytes = value.as_bytes();
    let is_visible = bytes.iter().all(|byte| (b' '..=b'~').contains(byte));
    if bytes.is_empty() || bytes.len() > MAX_KEY_BYTES || !is_visible {
        let detail = format!("Idempotency-Key must have 1 to {MAX_KEY_BYTES} visible ASCII characters");
        return Err(Problem::invalid("invalid_idempotency_key", detail));
    }
    Ok(Some(String::from_utf8_lossy(bytes).into_owned()))
}

/// Returns the id of the session that `caller` means by `key`: the same at every door, and not to be guessed by whoever knows the key but
/// not the key of the fleet, since ids that come over the broker are chosen by callers. Without a key, a new one.
///
/// # Errors
/// [`ContentError`] if the key of the fleet cannot be read.
pub(super) async fn session_id(
    content: &ContentStore,
    caller: &Caller,
    key: Option<&str>,
) -> Result<SessionId, ContentError> {
    Ok(SessionId::new(digits(content, caller, key, PURPOSE).await?).expect("32 digits are an id"))
}

/// Returns the id of the collection that `caller` means by `key`, as [`session_id`].
///
/// # Errors
/// [`ContentError`] if the key of the fleet cannot be read.
pub(super) async fn collection_id(
    content: &ContentStore,
    caller: &Caller,
    key: Option<&str>,
) -> Result<CollectionId, ContentError> {
    let digits = digits(content, caller, key, COLLECTION_PURPOSE).await?;
    Ok(CollectionId::new(digits).expect("32 digits are an id"))
}

/// Returns the id of the batch that `caller` means by `key`, as [`session_id`].
///
/// # Errors
/// [`ContentError`] if the key of the fleet cannot be read.
pub(super) async fn batch_id(content: &ContentStore, caller: &Caller, key: &str) -> Result<String, ContentError> {
    digits(content, caller, Some(key), BATCH_PURPOSE).await
}

async fn digits(
    content: &ContentStore,
    caller: &Caller,
    key: Option<&str>,
    purpose: &str,
) -> Result<String, ContentError> {
    let Some(key) = key else { return Ok(format!("{:032x}", rand::random::<u128>())) };
    let tenant = caller.tenant.as_deref().map_or_else(String::new, |tenant| format!("/{tenant}"));
    let name = content.fleet_key().await?.name(&format!("{purpose}:{}:{tenant}{key}", tenant.len()));
    Ok(name[..ID_DIGITS].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::callers::Callers;

    #[test]
    fn a_key_is_visible_and_not_too_long() {
        let code = |value: &[u8]| {
            let value = axum::http::HeaderValue::from_bytes(value).expect("a value");
            read_key(&[(KEY, value)].into_iter().collect()).map_err(|problem| problem.status)
        };
        for (bytes, is_key) in
            [(0, false), (1, true), (MAX_KEY_BYTES - 1, true), (MAX_KEY_BYTES, true), (MAX_KEY_BYTES + 1, false)]
        {
            assert_eq!(code(&vec![b'k'; bytes]).is_ok(), is_key, "{bytes}");
        }
        assert_eq!(code("é".as_bytes()), Err(400));
        assert_eq!(read_key(&HeaderMap::new()), Ok(None));
    }

    #[tokio::test]
    async fn a_key_means_one_session_of_one_tenant_of_one_fleet() {
        let (content, other_fleet) = (ContentStore::in_memory(), ContentStore::in_memory());
        let of = |tenant: Option<&str>| {
            let headers = [(axum::http::header::HOST, "localhost".parse().expect("a value"))].into_iter().collect();
            Callers::ThisMachine(tenant.map(str::to_owned)).identify(&headers).expect("here")
        };
        let id =
            async |content: &ContentStore, tenant, key| session_id(content, &of(tenant), key).await.expect("an id");
        let first = id(&content, Some("a"), Some("k")).await;
        assert_eq!(id(&content, Some("a"), Some("k")).await, first);
        for other in [
            id(&content, Some("a"), Some("K")).await,
            id(&content, Some("b"), Some("k")).await,
            id(&content, None, Some("k")).await,
            id(&content, None, Some("/ak")).await,
            id(&content, Some("ak"), Some("")).await,
            id(&other_fleet, Some("a"), Some("k")).await,
            id(&content, Some("a"), None).await,
        ] {
            assert_ne!(other, first);
            assert_eq!(other.as_str().len(), ID_DIGITS);
        }
        assert_ne!(id(&content, None, None).await, id(&content, None, None).await);
    }
}
