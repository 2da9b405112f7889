//! The hashes that make up the cache key of a digest.

use precis_proto::SourceId;
use precis_proto::ids::sha256_hex;
use precis_proto::source::ContentRef;

/// Version of the algorithm; raised whenever equal inputs would give a different payload. 1.1 cuts evidence at blocks.
pub const DIGEST_IMPL: &str = "1.1";

/// First 8 hexadecimal digits of the SHA-256 of `query`, exactly as asked.
#[must_use]
pub fn query_hash8(query: &str) -> String {
    short(query.as_bytes(), 8)
}

/// First 16 hexadecimal digits of the content's hash.
#[must_use]
pub fn content_hash16(content: &ContentRef) -> &str {
    &content.hex()[..16]
}

/// First 8 hexadecimal digits of a hash over settings, given as name and value, in order. Include everything that changes the payload:
/// limits, ranking, HTML mode, provider chain.
#[must_use]
pub fn config_hash8(settings: &[(&str, &str)]) -> String {
    let mut bytes = Vec::new();
    for part in settings.iter().flat_map(|&(name, value)| [name, value]) {
        // Each part is preceded by its length, so that different lists never give the same bytes.
        bytes.extend((part.len() as u64).to_be_bytes());
        bytes.extend(part.as_bytes());
    }
    short(&bytes, 8)
}

/// `digest:{impl}:{source_id}:{content_hash16}:{query_hash8}:{config_hash8}`. The hashes have fixed lengths, so the key stays unambiguous
/// whatever the source id contains.
#[must_use]
pub fn cache_key(source_id: &SourceId, content_hash16: &str, query_hash8: &str, config_hash8: &str) -> String {
    format!("digest:{DIGEST_IMPL}:{source_id}:{content_hash16}:{query_hash8}:{config_hash8}")
}

fn short(bytes: &[u8], digits: usize) -> String {
    let mut hash = sha256_hex(bytes);
    hash.truncate(digits);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_names_source_content_query_and_settings() {
        let source = SourceId::new("src-1").expect("valid");
        let content = ContentRef::from_bytes(b"abc");
        let key = cache_key(&source, content_hash16(&content), &query_hash8("abc"), &config_hash8(&[]));
        assert_eq!(key, "digest:1.1:src-1:ba7816bf8f01cfea:ba7816bf:e3b0c442");
    }

    #[test]
    fn settings_do_not_run_together() {
        let lists: [&[(&str, &str)]; 4] = [&[("ab", "c")], &[("a", "bc")], &[("a", "b"), ("c", "")], &[("c", "ab")]];
        let mut hashes: Vec<String> = lists.iter().map(|list| config_hash8(list)).collect();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), lists.len());
    }
}
