//! The secrets that sign, and the signature: HMAC-SHA256 over id, time and body.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

/// What a secret begins with when it is written down.
const PREFIX: &str = "whsec_";
/// Fewest bytes of a secret, as the specification has it.
const MIN_BYTES: usize = 24;
/// Most bytes of a secret, as the specification has it.
const MAX_BYTES: usize = 64;

/// A secret that signs. `Debug` hides it.
#[derive(Clone)]
pub struct SigningSecret(hmac::Key);

/// Why a text is not a secret; does not repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected `whsec_` and {MIN_BYTES} to {MAX_BYTES} bytes in Base64; `openssl rand -base64 32` makes such bytes")]
pub struct SecretFault;

impl SigningSecret {
    /// Reads a secret as it is written down: `whsec_` and its bytes in Base64.
    ///
    /// # Errors
    /// [`SecretFault`].
    pub fn parse(text: &str) -> Result<Self, SecretFault> {
        let bytes = text.trim().strip_prefix(PREFIX).and_then(|text| STANDARD.decode(text).ok()).ok_or(SecretFault)?;
        if !(MIN_BYTES..=MAX_BYTES).contains(&bytes.len()) {
            return Err(SecretFault);
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    /// Returns the signature of a message: `v1,` and the Base64 of the tag. `seconds` are those of `webhook-timestamp`.
    #[must_use]
    pub fn signature(&self, id: &str, seconds: i64, body: &[u8]) -> String {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(format!("{id}.{seconds}.").as_bytes());
        context.update(body);
        format!("v1,{}", STANDARD.encode(context.sign()))
    }
}

impl fmt::Debug for SigningSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification_has_its_signature() {
        // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
        let secret = SigningSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a secret");
        let signature = secret.signature("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(format!("{secret:?}"), "SigningSecret");
    }

    #[test]
    fn a_secret_has_its_prefix_and_its_length() {
        for (bytes, is_one) in [(23, false), (24, true), (25, true), (63, true), (64, true), (65, false)] {
            let text = format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
            assert_eq!(SigningSecret::parse(&text).is_ok(), is_one, "{bytes}");
        }
        for text in [
            "",
            "whsec_",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "whsec_not base64",
            "whsk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            assert!(SigningSecret::parse(text).is_err(), "{text}");
        }
    }
}
