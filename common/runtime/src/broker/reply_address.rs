//! Reply addresses of callers: queue names chosen by the broker, direct reply addresses, and names that match a configured pattern.
//!
//! A worker publishes to this address with its own permissions, and RabbitMQ up to 4.1 closes the connection that publishes to a direct
//! reply address it cannot decode. So replies go only to addresses of these three forms, and never to a queue of the fleet. Names that the
//! broker chooses cannot be guessed; a name that a caller chose is an address for its own user alone, if the broker has verified one, and no address where it must have and has not.

/// Prefix of a queue name chosen by RabbitMQ.
const SERVER_NAMED: &str = "amq.gen-";
/// Characters of such a name after its prefix: 16 bytes as base64url without padding.
const SERVER_NAMED_CHARS: usize = 22;
/// Prefix of a direct reply address.
const DIRECT: &str = "amq.rabbitmq.reply-to.";
/// Node name inside a direct reply address, up to the node number.
const NODE: &[u8] = b"reply@";
/// Bytes of the key at the end of a direct reply address.
const KEY_BYTES: usize = 16;
/// Longest address accepted, in bytes. AMQP carries 255.
pub const MAX_REPLY_ADDRESS_BYTES: usize = 200;
/// Allowed names of reply queues if none are configured.
pub const DEFAULT_REPLY_QUEUES: [&str; 2] = ["reply.*", "*.replies"];
/// Prefix of everything that belongs to the fleet: never a reply address, whatever is configured.
const INTERNAL: &str = "precis.";

/// The kind of an allowed reply address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyAddress {
    /// A queue whose name the broker chose.
    ServerNamed,
    /// A queue whose name its owner chose.
    Named,
    /// A channel, addressed by direct reply-to.
    Direct,
}

/// Who wants an answer, as far as the broker has verified it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker<'a> {
    /// The fleet itself, or an operator: any allowed queue is its own to name.
    Trusted,
    /// A user: only queues whose names hold its name.
    User(&'a str),
    /// Nobody knows who, in a fleet whose callers must be known: only addresses that cannot be guessed.
    Unverified,
    /// Nobody knows who, in a fleet whose callers need not be: any allowed queue.
    Anyone,
}

/// Why an address is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplyAddressError {
    /// Over [`MAX_REPLY_ADDRESS_BYTES`].
    #[error("the reply address must have at most {MAX_REPLY_ADDRESS_BYTES} bytes, got {0}")]
    TooLong(usize),
    /// A queue or exchange of the fleet.
    #[error("the reply address is a queue or exchange of the fleet; use a queue of your own")]
    Internal,
    /// A direct reply address that RabbitMQ would not have written.
    #[error("the reply address looks like a direct reply address, but RabbitMQ could not decode it")]
    MalformedDirect,
    /// A queue whose name does not say that it is the user's.
    #[error(
        "the reply address is a named queue of somebody else; expected a name with the user `{0}` between its dots, such as `reply.{0}.results`"
    )]
    Foreign(String),
    /// A queue with a name, in a message that does not say whose it is.
    #[error(
        "the reply address is a named queue, and the message does not say whose it is; expected the user of the connection as `user_id`, or \
         a queue that RabbitMQ names"
    )]
    NoUser,
    /// None of the allowed forms.
    #[error(
        "the reply address is neither a server-named queue (amq.gen-…), nor a direct reply address, nor a name that \
         reply_queues allows"
    )]
    Unknown,
}

/// Decides which reply addresses are allowed, by their form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyAddresses {
    patterns: Vec<String>,
}

impl Default for ReplyAddresses {
    fn default() -> Self {
        Self::from_patterns(DEFAULT_REPLY_QUEUES.map(str::to_owned))
    }
}

impl ReplyAddresses {
    /// Allows queue names that match one of `patterns`, besides those that RabbitMQ generates. A `*` at the start or the end of a
    /// pattern matches one character or more; an empty pattern and a lone `*` match nothing.
    #[must_use]
    pub fn from_patterns(patterns: impl IntoIterator<Item = String>) -> Self {
        Self { patterns: patterns.into_iter().collect() }
    }

    /// Returns the kind of the address `text`.
    ///
    /// # Errors
    /// [`ReplyAddressError`] if it is not allowed.
    pub fn check(&self, text: &str) -> Result<ReplyAddress, ReplyAddressError> {
        if text.len() > MAX_REPLY_ADDRESS_BYTES {
            return Err(ReplyAddressError::TooLong(text.len()));
        }
        if text.starts_with(INTERNAL) {
            return Err(ReplyAddressError::Internal);
        }
        if let Some(name) = text.strip_prefix(SERVER_NAMED) {
            let is_named = name.len() == SERVER_NAMED_CHARS && name.bytes().all(is_base64url);
            return if is_named { Ok(ReplyAddress::ServerNamed) } else { Err(ReplyAddressError::Unknown) };
        }
        if text.starts_with("amq.rabbitmq.reply-to") {
            let is_direct = direct_node(text).is_some();
            return if is_direct { Ok(ReplyAddress::Direct) } else { Err(ReplyAddressError::MalformedDirect) };
        }
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_plain && !text.starts_with("amq.") && self.patterns.iter().any(|pattern| fits(pattern, text)) {
            Ok(ReplyAddress::Named)
        } else {
            Err(ReplyAddressError::Unknown)
        }
    }

    /// As [`ReplyAddresses::check`], for a request of `asker`.
    ///
    /// # Errors
    /// [`ReplyAddressError`]; for a named queue without the user's name as a part between dots [`ReplyAddressError::Foreign`], and for any
    /// named queue of an asker who must be verified and is not [`ReplyAddressError::NoUser`].
    pub fn check_for(&self, text: &str, asker: Asker<'_>) -> Result<ReplyAddress, ReplyAddressError> {
        match (self.check(text)?, asker) {
            (ReplyAddress::Named, Asker::User(user)) if !is_of(text, user) => {
                Err(ReplyAddressError::Foreign(user.to_owned()))
            }
            (ReplyAddress::Named, Asker::Unverified) => Err(ReplyAddressError::NoUser),
            (address, Asker::Trusted | Asker::User(_) | Asker::Unverified | Asker::Anyone) => Ok(address),
        }
    }
}

/// Whether `user` is a whole part of `name`, or several in a row for a user with dots.
fn is_of(name: &str, user: &str) -> bool {
    !user.is_empty() && format!(".{name}.").contains(&format!(".{user}."))
}

/// Whether `name` matches `pattern`.
fn fits(pattern: &str, name: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        _ if pattern.trim_matches('*').is_empty() => false,
        (Some(ending), None) => name.len() > ending.len() && name.ends_with(ending),
        (None, Some(beginning)) => name.len() > beginning.len() && name.starts_with(beginning),
        (None, None) => name == pattern,
        // A match anywhere in a name is too broad for a pattern that must keep other programs' queues out.
        (Some(_), Some(_)) => false,
    }
}

/// Returns the node number in a direct reply address; `None` if RabbitMQ could not decode the address.
///
/// The form is `amq.rabbitmq.reply-to.PID.KEY`: a process id in Erlang's external term format, whose node name is `reply@` and a
/// number, and 16 random bytes; both as base64 (`rabbit_direct_reply_to`, `pid_recomposition` and, since 4.2, `rabbit_pid_codec`).
#[must_use]
pub(super) fn direct_node(address: &str) -> Option<u32> {
    let (pid, key) = address.strip_prefix(DIRECT)?.split_once('.')?;
    let (pid, key) = (decode_base64(pid)?, decode_base64(key)?);
    // 131 starts an external term, 88 a process id; 118 and 119 a node name with a length of two bytes or one.
    let (length, rest) = match pid.as_slice() {
        [131, 88, 118, high, low, rest @ ..] => (usize::from(u16::from_be_bytes([*high, *low])), rest),
        [131, 88, 119, length, rest @ ..] => (usize::from(*length), rest),
        _ => return None,
    };
    // After the node name: id, serial and creation, four bytes each.
    // The sender chooses `length`: checked before it is used to cut `rest`.
    if rest.len() != length + 12 || key.len() != KEY_BYTES {
        return None;
    }
    let digits = std::str::from_utf8(rest[..length].strip_prefix(NODE)?).ok()?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

/// Builds a direct reply address as RabbitMQ writes it, for process `id` on this node.
#[must_use]
pub(super) fn direct_address(node: u32, id: u64) -> String {
    let name = [NODE, node.to_string().as_bytes()].concat();
    let mut pid = vec![131, 88, 119, u8::try_from(name.len()).unwrap_or(u8::MAX)];
    pid.extend_from_slice(&name);
    pid.extend_from_slice(&id.to_be_bytes());
    pid.extend_from_slice(&[0; 4]);
    let key = [id.to_be_bytes(), (!id).to_be_bytes()].concat();
    format!("{DIRECT}{}.{}", encode_base64(&pid), encode_base64(&key))
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// Decodes standard padded base64; `None` for anything else, including the empty text.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return None;
    }
    let (mut bytes, mut bits, mut held) = (Vec::with_capacity(text.len()), 0_u32, 0_u32);
    for digit in digits.bytes() {
        let value = BASE64.iter().position(|known| *known == digit)?;
        bits = (bits << 6) | u32::try_from(value).ok()?;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from((bits >> held) & 0xff).ok()?);
        }
        bits &= (1 << held) - 1;
    }
    Some(bytes)
}

fn encode_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = usize::try_from((bits >> (18 - 6 * place)) & 63).unwrap_or_default();
            text.push(if place <= chunk.len() { BASE64[digit] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::{TIERS, Topology, names};

    /// An address that RabbitMQ 3.10.8 made.
    const MADE_BY_RABBITMQ: &str =
        "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAAkAAAAAAAAAAA==.aGVsbG8gd29ybGQhISEhIQ==";

    fn judged(text: &str) -> Result<ReplyAddress, ReplyAddressError> {
        ReplyAddresses::default().check(text)
    }

    #[test]
    fn each_form_that_a_caller_can_have_is_accepted() {
        assert_eq!(judged("amq.gen-JzTY20BRgKO-HjmUJj0wLg"), Ok(ReplyAddress::ServerNamed));
        assert_eq!(judged("reply.billing"), Ok(ReplyAddress::Named));
        assert_eq!(judged("billing.replies"), Ok(ReplyAddress::Named));
        assert_eq!(judged(MADE_BY_RABBITMQ), Ok(ReplyAddress::Direct));
        assert_eq!(judged(&direct_address(7, 1 << 40)), Ok(ReplyAddress::Direct));
        let configured = ReplyAddresses::from_patterns(["answers-*", "one", "", "*", "*a*"].map(str::to_owned));
        assert_eq!(configured.check("answers-1"), Ok(ReplyAddress::Named));
        assert_eq!(configured.check("one"), Ok(ReplyAddress::Named));
        assert_eq!(configured.check("bad"), Err(ReplyAddressError::Unknown));
        assert_eq!(configured.check("reply.billing"), Err(ReplyAddressError::Unknown));
        assert_eq!(configured.check("billing.replies"), Err(ReplyAddressError::Unknown));
    }

    #[test]
    fn everything_else_is_refused() {
        use ReplyAddressError::{MalformedDirect, Unknown};
        let table = [
            ("", Unknown),
            ("reply.", Unknown),
            ("billing", Unknown),
            (".replies", Unknown),
            ("billing.replies.old", Unknown),
            ("amq.replies", Unknown),
            ("reply.a b", Unknown),
            ("reply.\u{202e}", Unknown),
            ("amq.topic", Unknown),
            ("amq.gen-short", Unknown),
            ("amq.gen-JzTY20BRgKO.HjmUJj0wLg", Unknown),
            ("amq.rabbitmq.reply-to", MalformedDirect),
            ("amq.rabbitmq.reply-to.", MalformedDirect),
            ("amq.rabbitmq.reply-to.g1h2AAAA.x", MalformedDirect),
            ("amq.rabbitmq.reply-to.g2gCZAAQcmFiYml0.AAAA==", MalformedDirect),
            // Without its key; with a third part; with a node that is no number; with a byte too many.
            ("amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAAkAAAAAAAAAAA==", MalformedDirect),
            (
                "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAAkAAAAAAAAAAA==.aGVsbG8gd29ybGQhISEhIQ==.a",
                MalformedDirect,
            ),
            ("amq.rabbitmq.reply-to.g1h2AAlyZXBseUBhYmMAAAAJAAAAAAAAAAA=.aGVsbG8gd29ybGQhISEhIQ==", MalformedDirect),
            (
                "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAAkAAAAAAAAAAAA=.aGVsbG8gd29ybGQhISEhIQ==",
                MalformedDirect,
            ),
        ];
        for (text, expected) in table {
            assert_eq!(judged(text), Err(expected), "{text}");
        }
    }

    #[test]
    fn no_fleet_queue_or_exchange_is_ever_a_reply_address() {
        let topology = Topology::standard();
        let queues = topology.queues.into_iter().map(|queue| queue.name);
        let all = queues.chain(topology.exchanges.into_iter().map(|exchange| exchange.name));
        let careless = ReplyAddresses::from_patterns(
            ["p*", "precis.*", "precis.retry.*", "*s", "precis.anything"].map(str::to_owned),
        );
        for name in all.chain([names::tier(TIERS[0]), "precis.anything".to_owned()]) {
            assert_eq!(careless.check(&name), Err(ReplyAddressError::Internal), "{name}");
        }
    }

    #[test]
    fn a_named_queue_is_an_address_for_its_own_user_alone() {
        let addresses = ReplyAddresses::default();
        let of = |text: &str, user| addresses.check_for(text, Asker::User(user)).is_ok();
        let table = [
            ("reply.alice", "alice", true),
            ("reply.alice.x", "alice", true),
            ("alice.replies", "alice", true),
            ("reply.team.alice", "alice", true),
            ("reply.alice", "mallory", false),
            ("reply.alice", "ali", false),
            ("reply.malice.x", "alice", false),
            ("reply.alice-x", "alice", false),
            ("reply.ALICE", "alice", false),
            ("reply.a.smith.x", "a.smith", true),
            ("reply.a.smithers", "a.smith", false),
            ("reply.x", "", false),
            ("amq.gen-JzTY20BRgKO-HjmUJj0wLg", "mallory", true),
            (MADE_BY_RABBITMQ, "mallory", true),
        ];
        for (text, user, is_allowed) in table {
            assert_eq!(of(text, user), is_allowed, "{text} for {user:?}");
        }
        let refused = addresses.check_for("reply.alice", Asker::User("bob")).expect_err("of somebody else").to_string();
        assert!(refused.contains("such as `reply.bob.results`"), "{refused}");
    }

    #[test]
    fn an_unverified_user_that_must_be_verified_names_no_queue() {
        let addresses = ReplyAddresses::default();
        let table = [
            ("reply.alice", Asker::Anyone, true),
            ("reply.alice", Asker::Trusted, true),
            ("reply.alice", Asker::Unverified, false),
            ("alice.replies", Asker::Unverified, false),
            ("amq.gen-JzTY20BRgKO-HjmUJj0wLg", Asker::Unverified, true),
            (MADE_BY_RABBITMQ, Asker::Unverified, true),
            ("precis.requests", Asker::Unverified, false),
            ("precis.requests", Asker::Trusted, false),
        ];
        for (text, asker, is_allowed) in table {
            assert_eq!(addresses.check_for(text, asker).is_ok(), is_allowed, "{text} for {asker:?}");
        }
    }

    #[test]
    fn the_length_has_a_limit() {
        let of = |bytes: usize| judged(&format!("reply.{}", "x".repeat(bytes - "reply.".len())));
        assert_eq!(of(MAX_REPLY_ADDRESS_BYTES - 1), Ok(ReplyAddress::Named));
        assert_eq!(of(MAX_REPLY_ADDRESS_BYTES), Ok(ReplyAddress::Named));
        assert_eq!(of(MAX_REPLY_ADDRESS_BYTES + 1), Err(ReplyAddressError::TooLong(MAX_REPLY_ADDRESS_BYTES + 1)));
    }

    #[test]
    fn base64_is_read_as_it_is_written() {
        for length in 1..40_u8 {
            let bytes: Vec<u8> = (0..length).map(|n| n.wrapping_mul(37)).collect();
            assert_eq!(decode_base64(&encode_base64(&bytes)).as_ref(), Some(&bytes), "{length}");
        }
        for bad in ["", "A", "AA", "AA=A", "A===", "====", "AA A", "AA-_"] {
            assert_eq!(decode_base64(bad).filter(|bytes| !bytes.is_empty()), None, "{bad}");
        }
        assert_eq!(direct_node(MADE_BY_RABBITMQ), Some(12_345));
    }
}
