//! A place in the list as a caller gets it: sealed, because it may name a session of another tenant, and so that no other is accepted.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use precis_runtime::content::FleetKey;
use precis_runtime::records::ListingPlace;

use crate::problem::Problem;

/// Purpose of the encryption; the tenant follows.
const PURPOSE: &str = "precis door cursor 1";

/// Returns `place` for a caller of `tenant`.
///
/// # Errors
/// 503 if the system provides no random bytes.
pub(super) fn seal(key: &FleetKey, tenant: Option<&str>, place: &ListingPlace) -> Result<String, Problem> {
    let sealed = key.encrypt(about(tenant).as_bytes(), place.to_text().into_bytes());
    let sealed = sealed.ok_or_else(|| Problem::broker_away("no random bytes available"))?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// Returns the place that [`seal`] gave to a caller of `tenant`.
///
/// # Errors
/// 400 for any other text.
pub(super) fn open(key: &FleetKey, tenant: Option<&str>, text: &str) -> Result<ListingPlace, Problem> {
    let invalid = || Problem::invalid("invalid_cursor", "the cursor is not one that this list returned");
    let sealed = URL_SAFE_NO_PAD.decode(text).map_err(|_| invalid())?;
    let plain = key.decrypt(about(tenant).as_bytes(), sealed).ok_or_else(invalid)?;
    ListingPlace::from_text(&String::from_utf8_lossy(&plain)).map_err(|_| invalid())
}

fn about(tenant: Option<&str>) -> String {
    match tenant {
        Some(tenant) => format!("{PURPOSE}/{tenant}"),
        None => PURPOSE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_of_one_tenant_and_cannot_be_changed() {
        let key = FleetKey::from_bytes(&[7; 32]).expect("32 bytes");
        let place = ListingPlace::from_text("2026-01-02.8235000000000-0123456789ab-s").expect("a place");
        let text = seal(&key, Some("a"), &place).expect("sealed");
        assert_eq!(open(&key, Some("a"), &text), Ok(place));
        assert!(!text.contains("2026"));
        for tenant in [Some("b"), None] {
            assert!(open(&key, tenant, &text).is_err());
        }
        for at in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("ASCII");
            assert_eq!(open(&key, Some("a"), &changed).expect_err("changed").status, 400);
            assert!(open(&key, Some("a"), &text[..at]).is_err());
        }
    }
}
