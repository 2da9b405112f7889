//! What the `precis.toml` of a folder may decide, once that folder is trusted.
//!
//! A folder comes from somebody: a colleague, an archive that was unpacked, a repository. Its file may say how the documents in
//! it are read and how long the report is. What runs a program, names a variable that holds a secret, sends a text somewhere,
//! widens what may be reached, spends money, or chooses where files are kept is for the user's own file to say.

use super::config_value::ConfigValue;
use super::error::Problem;

/// Keys that the file of a trusted folder may give. A key that is not here needs the user's own file, also one that is new.
pub(super) const FOLDER_MAY: &[&str] = &[
    "token_management_enabled",
    "token_safety_margin",
    "runtime_overhead",
    "auto_compact_threshold",
    "allow_content_dropping",
    "summarization_timeout",
    "summarization_cache_enabled",
    "digest_policy",
    "digest_min_chars",
    "digest_max_sources",
    "digest_timeout",
    "digest_max_concurrent",
    "digest_include_evidence",
    "digest_evidence_max_chars",
    "digest_max_evidence_snippets",
    "digest_ranker",
    "html",
    "max_document_bytes",
    "max_document_pages",
    "max_document_chars",
    "extraction_timeout",
    "report_tokens",
];

/// `given` by the file of a folder, where it may be.
///
/// # Errors
/// [`Problem::NotForAFolder`] names the key, the line and the file it needs.
pub(super) fn allowed(given: ConfigValue, own_file: &str) -> Result<ConfigValue, Problem> {
    let top = given.path.first().map_or("", String::as_str);
    if FOLDER_MAY.contains(&top) {
        return Ok(given);
    }
    Err(Problem::NotForAFolder { key: given.key(), from: given.from, own_file: own_file.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::super::keys::KnownKeys;
    use super::*;

    /// The other side of [`FOLDER_MAY`]. A new key belongs on one of the two lists: choose this one where in doubt.
    const NEEDS_OWN_FILE: &[&str] = &[
        // Who is asked, and what is sent where.
        "summarization_provider",
        "summarization_providers",
        "providers",
        "roles",
        "search.providers",
        "search_cache_ttl",
        "tavily_extract",
        "tavily_base_url",
        "tavily_api_key_env",
        "model_context_overrides",
        // What may be fetched.
        "digest_fetch_pdfs",
        "follow_links",
        "fetch_allow_hosts",
        "fetch_deny_hosts",
        "fetch_allow_networks",
        "fetch_deny_networks",
        "fetch_allow_metadata",
        "fetch_proxy",
        "fetch_ports",
        "fetch_max_redirects",
        "fetch_timeout",
        "fetch_connect_timeout",
        "fetch_header_timeout",
        "fetch_idle_timeout",
        "fetch_max_retry_after",
        "fetch_host_concurrency",
        "fetch_host_interval",
        // What may be spent.
        "max_spend_usd",
        "max_spend_tokens",
        "tenants",
        "limits",
        "prices",
        // Where files are kept, and for how long.
        "content_archive_enabled",
        "content_archive_ttl_hours",
        "research_archive_dir",
        "cache_dir",
        "cache_max_bytes",
        // How documents are confined.
        "sandbox",
        "parser_memory_bytes",
        "parser_children",
        // Services, and how a worker works.
        "amqp_url",
        "redis_url",
        "content_url",
        "amqp_ca_file",
        "amqp_cert_file",
        "amqp_key_file",
        "redis_ca_file",
        "redis_cert_file",
        "redis_key_file",
        "redis_prefix",
        "metrics_address",
        "log",
        "log_format",
        "worker_queues",
        "worker_concurrency",
        "worker_sessions",
        "session_window",
        "session_lease",
        "job_timeout",
        "drain_timeout",
        "emit_version",
        "strict_privacy",
        // Whom workers answer and obey.
        "reply_queues",
        "operator_users",
    ];

    #[test]
    fn each_key_is_either_for_a_folder_or_for_the_users_own_file() {
        for (key, _) in KnownKeys::new().iter() {
            let lists = [FOLDER_MAY, NEEDS_OWN_FILE].iter().filter(|list| list.contains(&key)).count();
            assert_eq!(lists, 1, "`{key}` belongs on FOLDER_MAY or on NEEDS_OWN_FILE, and on one of them only");
        }
    }

    #[test]
    fn what_names_a_program_a_secret_or_a_place_is_not_for_a_folder() {
        for (key, _) in KnownKeys::new().iter() {
            let reaches_out = ["_url", "_env", "_dir", "_file", "_address", "allow_", "spend", "provider"];
            let fine = !reaches_out.iter().any(|part| key.contains(part)) || key == "allow_content_dropping";
            assert!(fine || !FOLDER_MAY.contains(&key), "{key}");
        }
    }
}
