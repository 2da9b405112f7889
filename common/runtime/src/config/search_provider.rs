//! A search provider as it is called, resolved from settings and environment.

use std::time::Duration;

use super::search::{SearchProviderSettings, SearchTables};
use crate::model::key_from;
use crate::search::{SearchProviderConfig, SearchSetupError};

impl SearchTables {
    /// Resolves the provider called `name`, configured or built in, reading its key from the environment through `read`.
    ///
    /// # Errors
    /// [`SearchSetupError`] names what is missing and where to set it.
    pub fn resolve(
        &self,
        name: &str,
        read: impl Fn(&str) -> Option<String>,
    ) -> Result<SearchProviderConfig, SearchSetupError> {
        let Some(SearchProviderSettings { kind: Some(kind), .. }) = self.provider(name) else {
            return Err(SearchSetupError::UnknownProvider { name: name.to_owned(), known: self.names() });
        };
        let found = self.provider(name).unwrap_or_default();
        let named = || name.to_owned();
        let key = match found.key_variable(kind) {
            Some((variable, is_needed)) => match key_from(name, variable, read) {
                Ok(key) => key,
                Err(_) if !is_needed => None,
                Err(_) => return Err(SearchSetupError::MissingKey { name: named(), variable: variable.to_owned() }),
            },
            None => None,
        };
        let base_url = found.base_url.as_ref().map(|url| url.expose().to_owned());
        let config = SearchProviderConfig {
            api_key: key,
            key_variable: found.key_variable(kind).map(|(variable, _)| variable.to_owned()),
            contact: found.contact.clone().filter(|contact| !contact.trim().is_empty()),
            cx: found.cx.clone().filter(|cx| !cx.trim().is_empty()),
            requests_per_minute: found.requests_per_minute,
            usd_per_call: found.usd_per_call.unwrap_or(kind.list_price_usd()),
            timeout: Duration::from_secs_f64(found.timeout_seconds),
            ..SearchProviderConfig::new(
                name,
                kind,
                base_url.ok_or_else(|| SearchSetupError::MissingAddress { name: named() })?,
            )
        };
        config.check()?;
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::super::search::SearchSettings;
    use super::*;
    use crate::search::SearchKind;

    fn of(toml: &str, name: &str, variables: &[&str]) -> Result<SearchProviderConfig, String> {
        let settings: SearchSettings = toml::from_str(toml).expect("settings");
        let read = |name: &str| variables.contains(&name).then(|| "hidden".to_owned());
        settings.search.resolve(name, read).map_err(|error| error.to_string())
    }

    #[test]
    fn a_known_kind_needs_its_key_at_most() {
        for kind in SearchKind::ALL {
            let with_key = of("", kind.as_str(), &[kind.key_variable()]);
            let without = of("", kind.as_str(), &[]);
            match kind {
                SearchKind::Searxng => assert!(without.expect_err("no address").contains("base_url")),
                SearchKind::Wikipedia => {
                    assert!(without.expect_err("no contact").contains("set `contact` in [search.providers.wikipedia]"))
                }
                SearchKind::Google => assert!(with_key.expect_err("no engine").contains("`cx`")),
                _ if kind.needs_key() => {
                    assert!(without.expect_err("no key").contains(kind.key_variable()), "{kind}");
                    assert!(with_key.expect("a provider").api_key.is_some());
                }
                _ => assert!(without.expect("a provider").api_key.is_none(), "{kind}"),
            }
        }
        assert!(of("", "semantic_scholar", &["SEMANTIC_SCHOLAR_API_KEY"]).expect("a provider").api_key.is_some());
    }

    #[test]
    fn a_table_says_what_differs() {
        let toml = "[search.providers.house]\nkind = 'tavily'\nbase_url = 'http://localhost:1'\napi_key_env = ''\nusd_per_call = 0.5\n\
                    [search.providers.crossref]\ncontact = ' '\n[search.providers.openalex]\napi_key_env = 'MY_KEY'";
        let house = of(toml, "house", &[]).expect("a provider");
        assert_eq!(
            (house.kind, house.base_url.as_str(), house.usd_per_call),
            (SearchKind::Tavily, "http://localhost:1/", 0.5)
        );
        assert!(house.api_key.is_none() && house.key_variable.is_none());
        assert_eq!(of(toml, "crossref", &[]).expect("a provider").contact, None);
        assert!(of(toml, "openalex", &["OPENALEX_API_KEY"]).expect_err("the key that was named").contains("MY_KEY"));
        let unknown = of(toml, "travily", &[]).expect_err("nobody");
        assert!(
            unknown.contains("no search provider is called `travily`") && unknown.contains("tavily, wikipedia"),
            "{unknown}"
        );
        assert!(!format!("{:?}", of("", "tavily", &["TAVILY_API_KEY"])).contains("hidden"));
    }
}
