//! A search request.

use jiff::civil::Date;
use precis_proto::research::MAX_DOMAINS;

use super::query::PublicQuery;

/// Most results of one search; a requested number is clamped to 1 to this.
pub const MAX_RESULTS: usize = 20;
/// Default number of results of a search.
pub const DEFAULT_RESULTS: usize = 10;
/// One search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchCall {
    /// The query.
    pub query: PublicQuery,
    /// Number of results, 1 to [`MAX_RESULTS`].
    pub max_results: usize,
    /// Names of the providers to call, in order; the next one if one fails. No other provider is called.
    pub providers: Vec<String>,
    /// Domains the results must be in, with subdomains: `example.org` includes `www.example.org`; empty for all. At most
    /// [`MAX_DOMAINS`].
    pub allow_domains: Vec<String>,
    /// Domains no result may be in; at most [`MAX_DOMAINS`].
    pub deny_domains: Vec<String>,
    /// Drops results older than this. A result without a date is kept.
    pub since: Option<Date>,
    /// Preferred language of the results, as ISO 639-1 (two lower-case letters). Sent to providers that support it, not enforced.
    pub language: Option<String>,
}

impl SearchCall {
    /// A search without further conditions.
    #[must_use]
    pub fn new(query: PublicQuery, providers: Vec<String>) -> Self {
        Self {
            query,
            max_results: DEFAULT_RESULTS,
            providers,
            allow_domains: Vec::new(),
            deny_domains: Vec::new(),
            since: None,
            language: None,
        }
    }

    /// Returns the number of results, clamped to the bounds.
    pub(super) fn results(&self) -> usize {
        self.max_results.clamp(1, MAX_RESULTS)
    }

    /// Returns why no provider could make this search; `None` if it is valid.
    pub(super) fn fault(&self) -> Option<String> {
        let domains = self.allow_domains.len().max(self.deny_domains.len());
        if self.query.as_str().is_empty() {
            Some("the query is empty".to_owned())
        } else if domains > MAX_DOMAINS {
            Some(format!("at most {MAX_DOMAINS} domains are allowed, got {domains}"))
        } else if self.providers.is_empty() {
            Some("no search provider is named".to_owned())
        } else {
            None
        }
    }
}

/// Whether `host` is one of `domains` or a subdomain of one.
pub(super) fn lies_in(host: &str, domains: &[String]) -> bool {
    let host = host.trim_end_matches('.');
    domains.iter().any(|domain| {
        let domain = bare_domain(domain);
        !domain.is_empty()
            && (host.eq_ignore_ascii_case(&domain)
                || host.to_ascii_lowercase().strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.')))
    })
}

/// Normalises a domain as people write it (`*.Example.org.`, `.example.org`) to the form providers expect (`example.org`).
pub(super) fn bare_domain(domain: &str) -> String {
    domain.trim().trim_start_matches("*.").trim_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_results_keeps_to_its_bounds() {
        for (asked, given) in [(0, 1), (1, 1), (2, 2), (19, 19), (20, 20), (21, 20), (10_000, 20)] {
            let call = SearchCall { max_results: asked, ..SearchCall::new(PublicQuery::of_user("x"), Vec::new()) };
            assert_eq!(call.results(), given);
        }
    }

    #[test]
    fn a_search_that_cannot_be_made_says_why() {
        let fine = SearchCall::new(PublicQuery::of_user("x"), vec!["a".to_owned()]);
        let domains = |n: usize| SearchCall { deny_domains: vec!["a.org".to_owned(); n], ..fine.clone() };
        for (call, why) in [
            (fine.clone(), None),
            (SearchCall { query: PublicQuery::of_user(" \n"), ..fine.clone() }, Some("the query is empty")),
            (SearchCall { providers: Vec::new(), ..fine.clone() }, Some("no search provider is named")),
            (domains(49), None),
            (domains(50), None),
            (domains(51), Some("at most 50 domains are allowed, got 51")),
        ] {
            assert_eq!(call.fault().as_deref(), why);
        }
    }

    #[test]
    fn a_host_lies_in_its_own_domain_and_those_above_it() {
        for (host, domain, lies) in [
            ("example.org", "example.org", true),
            ("www.Example.org", "example.ORG", true),
            ("a.b.example.org.", ".example.org", true),
            ("example.org", "*.example.org", true),
            ("badexample.org", "example.org", false),
            ("example.org.evil.com", "example.org", false),
            ("example.org", "", false),
            ("org", "example.org", false),
        ] {
            assert_eq!(lies_in(host, &[domain.to_owned()]), lies, "{host} {domain}");
        }
    }
}
