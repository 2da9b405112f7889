//! The keys that the `precis.toml` of a trusted folder may set.
//!
//! A folder may come from anyone: a colleague, an unpacked archive, a repository. Its file may set how its documents are read and
//! how long the report is. Keys that run a program, name a variable that holds a secret, send text elsewhere, widen what may be
//! reached, spend money, or choose where files are kept can only be set in the user's own file.

use super::config_value::ConfigValue;
use super::error::Problem;

/// Keys that the file of a trusted folder may set. Every other key, including any new one, needs the user's own file.
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

/// Returns `given` unchanged if a folder's file may set its key.
///
/// # Errors
/// [`Problem::NotForAFolder`] names the key, the line and the file it needs.
pub(super) fn check_allowed(given: ConfigValue, own_file: &str) -> Result<ConfigValue, Problem> {
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

    /// The keys that are not in [`FOLDER_MAY`]. Add each new key to one of the two lists; if in doubt, to this one.
    const NEEDS_OWN_FILE: &[&str] = &[
        "judge",
        "writer_evidence_tokens",
        "compression_calls",
        // Which services are called, and what is sent to them.
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
        "max_stored_mib_per_day",
        "limits",
        "prices",
        // Where files are kept, and for how long.
        "content_archive_enabled",
        "content_archive_ttl_hours",
        "session_ttl_hours",
        "research_archive_dir",
        "cache_dir",
        "cache_max_bytes",
        // How documents are confined.
        "sandbox",
        "parser_memory_bytes",
        "parser_children",
        // A program that runs.
        "ocr",
        "ocr_languages",
        "ocr_timeout",
        "ocr_memory_bytes",
        "ocr_page_bytes",
        "ocr_max_pages",
        // Which model ranks, and how long it may take.
        "meaning.model",
        "meaning.passages",
        // Who is told: a program that runs, and an address.
        "standing_hook",
        "standing_webhook",
        "standing_endpoint",
        "standing_wait",
        "webhooks",
        "webhook_allow_hosts",
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
        // Who may call the HTTP door.
        "api_tokens",
        "door_active_sessions",
        "door_submissions_per_minute",
        "door_queue_depth",
        "door_tls_certificate",
        "door_tls_key",
        // Where workers send answers, and whose commands they accept.
        "reply_queues",
        "require_verified_user",
        "operator_users",
    ];

    #[test]
    fn each_key_belongs_to_a_folder_or_the_users_file() {
        for (key, _) in KnownKeys::new().iter() {
            let lists = [FOLDER_MAY, NEEDS_OWN_FILE].iter().filter(|list| list.contains(&key)).count();
            assert_eq!(lists, 1, "`{key}` belongs on FOLDER_MAY or on NEEDS_OWN_FILE, and on one of them only");
        }
    }

    #[test]
    fn programs_secrets_and_places_may_not_be_set_by_a_folder() {
        for (key, _) in KnownKeys::new().iter() {
            let reaches_out = ["_url", "_env", "_dir", "_file", "_address", "allow_", "spend", "provider"];
            let fine = !reaches_out.iter().any(|part| key.contains(part)) || key == "allow_content_dropping";
            assert!(fine || !FOLDER_MAY.contains(&key), "{key}");
        }
    }
}
