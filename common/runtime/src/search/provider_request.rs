//! The request to a provider, and the helpers adapters build it with.

use jiff::civil::Date;
use serde_json::Value;
use url::Url;

/// A search as passed to adapters: query, domains and number of results are already normalised to the provider's limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProviderQuery<'a> {
    pub(super) query: &'a str,
    pub(super) results: usize,
    pub(super) allow_domains: &'a [String],
    pub(super) deny_domains: &'a [String],
    pub(super) since: Option<Date>,
    /// Two lower-case letters.
    pub(super) language: Option<&'a str>,
    /// The day of the search, for providers that count back from it.
    pub(super) today: Date,
}

/// The configuration values that are part of requests, without the key.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestConfig<'a> {
    pub(super) base: &'a Url,
    pub(super) contact: Option<&'a str>,
    pub(super) cx: Option<&'a str>,
}

/// A request without its key: a POST if it has a body, else a GET.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProviderRequest {
    pub(super) url: Url,
    pub(super) body: Option<Value>,
}

/// Returns `base` with `parts` appended to its path.
pub(super) fn below(base: &Url, parts: &[&str]) -> Url {
    let mut url = base.clone();
    // Cannot fail: http and https URLs always have a path.
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(parts);
    }
    url
}

/// Returns `url` with `parameters` appended, escaped.
pub(super) fn with(mut url: Url, parameters: &[(&str, String)]) -> Url {
    url.query_pairs_mut().extend_pairs(parameters);
    url
}

/// Returns the query with a `site:` filter if exactly one domain is allowed; several are filtered from the results instead.
pub(super) fn with_site(asked: &ProviderQuery<'_>) -> String {
    match asked.allow_domains {
        [domain] => format!("{} site:{domain}", asked.query),
        _ => asked.query.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::adapter::fixture;
    use super::*;

    #[test]
    fn one_domain_is_in_the_query_where_engines_need_it() {
        let domains = ["a.org".to_owned(), "b.org".to_owned()];
        let asked = |domains| ProviderQuery { allow_domains: domains, ..fixture::provider_query("dams") };
        assert_eq!(with_site(&asked(&domains[..1])), "dams site:a.org");
        assert_eq!(with_site(&asked(&domains)), "dams");
    }
}
