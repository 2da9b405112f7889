//! Requests of a caller who means harm: of every kind that has been thought of, each with something drawn from a seed.

use bytes::Bytes;
use precis_proto::envelope::{Envelope, Header, MAX_BODY_BYTES, ZSTD, message_type};
use precis_runtime::broker::{Outgoing, Topology};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::junk::{ingress, zeros};

/// Kinds of harm.
pub const KINDS: usize = 26;
/// One in so many of the kinds whose messages have megabytes is as large as it may be; the others are small ones of their kind.
const ONE_LARGE_IN: usize = 8;

/// What reaches for what: built once, for messages that share it.
#[derive(Debug)]
pub struct Hostile {
    queues: Vec<String>,
    /// 2,900 bytes that unfold to 32 MiB and more.
    bomb: Bytes,
    /// A great many sources, compressed.
    many: Envelope,
    /// 5,000 sources with long titles, compressed: a state that is too large.
    titles: Envelope,
}

impl Hostile {
    /// The means of `KINDS` kinds of harm.
    ///
    /// # Panics
    /// Never: they are built in memory.
    #[must_use]
    pub fn new() -> Self {
        let encoded = |sources: Vec<Value>| {
            let body = json!({ "schema_version": 2, "session_id": "many", "query": "q", "sources": sources });
            Envelope::encode(Header::default(), &body).expect("within the limits of the wire")
        };
        let title = "x".repeat(400);
        let titled = |n: usize| json!({ "source_id": format!("{n}"), "title": title, "content": "x" });
        Self {
            queues: Topology::standard().queues.into_iter().map(|queue| queue.name).collect(),
            bomb: zeros(MAX_BODY_BYTES + 1_024),
            many: encoded(vec![json!({ "source_id": "a" }); 1_000_000]),
            titles: encoded((0..5_000).map(titled).collect()),
        }
    }

    /// Message `number`, that wants its answer at `reply_to`. The id it carries is its own, or `victim`, which is another's.
    #[must_use]
    pub fn message(&self, seed: u64, number: usize, reply_to: &str, victim: &str) -> Outgoing {
        let mut rng = StdRng::seed_from_u64(seed ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let kind = number % KINDS;
        let is_large = (number / KINDS).is_multiple_of(ONE_LARGE_IN);
        let mut header = Header {
            message_type: message_type::REQUEST.to_owned(),
            message_id: format!("hostile-{number}"),
            correlation_id: format!("hostile-{number}"),
            reply_to: Some(reply_to.to_owned()),
            ..Header::default()
        };
        let encoded = |mut header: Header, from: &Envelope| {
            header.content_encoding.clone_from(&from.header.content_encoding);
            Envelope { header, body: from.body.clone() }
        };
        let envelope = match kind {
            0 if is_large => encoded(header, &self.many),
            1 if is_large => encoded(header, &self.titles),
            2 => Envelope {
                header: Header { content_encoding: Some(ZSTD.to_owned()), ..header },
                body: self.bomb.clone(),
            },
            3 => {
                header.content_encoding =
                    Some(pick(&mut rng, &["zstd", "gzip", "br", "zstd, zstd", "\u{202e}"]).to_owned());
                Envelope { header, body: Bytes::from(random_bytes(&mut rng, 300)) }
            }
            4 => Envelope { header, body: Bytes::from(deep(&mut rng)) },
            5 => Envelope { header, body: Bytes::from(random_bytes(&mut rng, 2_000)) },
            6 => {
                (header.message_id, header.correlation_id) = (victim.to_owned(), victim.to_owned());
                Envelope { header, body: Bytes::from_static(b"{}") }
            }
            7 => {
                header.reply_to = Some(self.address(&mut rng));
                Envelope { header, body: Bytes::from(plain(number).to_string()) }
            }
            8 => {
                header.reply_to = Some(self.queues[rng.random_range(0..self.queues.len())].clone());
                Envelope { header, body: Bytes::from_static(b"{\"bad\": 1}") }
            }
            9 => {
                header.tenant = Some(pick(&mut rng, &["", "\u{1}", "a/../b", "\u{202e}x", "nobody"]).to_owned());
                Envelope { header, body: Bytes::from(plain(number).to_string()) }
            }
            10 => {
                header.message_type =
                    pick(&mut rng, &["", "session.state", "job", "control", "nobody.knows"]).to_owned();
                Envelope { header, body: Bytes::from(plain(number).to_string()) }
            }
            11 => Envelope { header, body: Bytes::from(mutated(&mut rng, number)) },
            _ => Envelope { header, body: Bytes::from(wrong(&mut rng, kind, number, is_large).to_string()) },
        };
        Outgoing { route: ingress(), envelope }
    }

    /// A reply address that is none, or that is not the caller's. The broker itself refuses a plain `amq.rabbitmq.reply-to` here.
    fn address(&self, rng: &mut StdRng) -> String {
        let fixed = [
            "amq.rabbitmq.reply-to.g1h2AAAA.x",
            "amq.rabbitmq.reply-to.",
            "amq.rabbitmq.reply-to.g2gCZAAQcmFiYml0.AAAA==",
            "\u{202e}",
            "nobody",
            "amq.gen-",
        ];
        match rng.random_range(0..=fixed.len() + 1) {
            n if n < fixed.len() => fixed[n].to_owned(),
            n if n == fixed.len() => "x".repeat(255),
            _ => self.queues[rng.random_range(0..self.queues.len())].clone(),
        }
    }
}

impl Default for Hostile {
    fn default() -> Self {
        Self::new()
    }
}

/// A request that would be none of anybody's harm.
fn plain(number: usize) -> Value {
    let source = json!({ "source_id": "a", "title": "t", "content": "The buyer pays for each delay." });
    json!({ "schema_version": 2, "session_id": format!("hostile-{number}"), "query": "Who pays?", "sources": [source] })
}

/// A request that is JSON, and wrong or greedy in one place.
fn wrong(rng: &mut StdRng, kind: usize, number: usize, is_large: bool) -> Value {
    let mut body = plain(number);
    let long = |small: usize, large: usize| "a".repeat(if is_large { large } else { small });
    match kind {
        12 => body["sources"][0]["url"] = json!(format!("https://example.org/{}", long(3_000, 900_000))),
        13 => body["sources"][0]["title"] = json!(long(501, 900_000)),
        14 => {
            body["sources"] = json!(vec![json!({ "source_id": "a", "content": "x" }); if is_large { 5_001 } else { 2 }])
        }
        15 => body["sources"][0] = json!({ "source_id": "a", "content_ref": format!("sha256:{}", "0".repeat(64)) }),
        16 => {
            let proof: String = (0..64).map(|_| char::from(b'0' + rng.random_range(0..10))).collect();
            let reference = format!("sha256:{}", "1".repeat(64));
            body["sources"][0] = json!({ "source_id": "a", "content_ref": reference, "content_proof": proof });
        }
        17 => body["sources"][0] = json!({ "source_id": "a", "content_base64": long(7, 2_000_000) }),
        18 => {
            let inner =
                ["http://169.254.169.254/latest", "http://127.0.0.1:15672/api", "file:///etc/passwd", "http://[::1]/"];
            body["sources"][0] = json!({ "source_id": "a", "url": pick(rng, &inner) });
        }
        19 => body["options"] = json!({ "fetch_allow_networks": ["0.0.0.0/0"] }),
        20 => body["session_id"] = json!(pick(rng, &["", "\u{0}", "a\nb", "\u{202e}"])),
        21 => body["query"] = json!(pick(rng, &["", " \n", "\u{0}"])),
        22 => body["query"] = json!(long(10_001, 1_000_000)),
        23 => body["schema_version"] = json!(rng.random_range(-3_i64..99)),
        24 => {
            body["options"] =
                json!({ "max_spend_usd": -1.0, "deadline_seconds": 0, "report_tokens": rng.random::<u32>() })
        }
        _ => {
            body["options"] = json!({ "history": vec![json!({ "role": "user", "content": "x" }); if is_large { 2_001 } else { 1 }], "deadline_seconds": 0 })
        }
    }
    body
}

fn deep(rng: &mut StdRng) -> String {
    let open = pick(rng, &["[", "{\"a\":", "{\"sources\":["]);
    open.repeat(rng.random_range(100..60_000))
}

/// A request of which some bytes are others.
fn mutated(rng: &mut StdRng, number: usize) -> Vec<u8> {
    let mut body = plain(number).to_string().into_bytes();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..body.len());
        match rng.random_range(0..3) {
            0 => body[at] = rng.random(),
            1 => drop(body.remove(at)),
            _ => body.insert(at, *b"{}[]\",:\\0e".get(rng.random_range(0..10)).unwrap_or(&b'{')),
        }
    }
    body
}

fn random_bytes(rng: &mut StdRng, most: usize) -> Vec<u8> {
    (0..rng.random_range(0..most)).map(|_| rng.random()).collect()
}

fn pick<'t>(rng: &mut StdRng, texts: &[&'t str]) -> &'t str {
    texts[rng.random_range(0..texts.len())]
}
