//! The order in which a role's providers are called.

use std::collections::BTreeMap;

use precis_proto::task::Role;

/// The built-in model: no network, no cost, and the last link of a chain unless [`Chain::or_fail`] removes it.
pub const LOCAL: &str = "local:extractive";

/// Providers in the order in which they are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// Each as `NAME:MODEL`.
    providers: Vec<String>,
    /// Whether the built-in model answers if no provider does.
    ends_local: bool,
}

impl Chain {
    /// A chain that ends with the built-in model. Repeated providers are dropped.
    #[must_use]
    pub fn new<S: Into<String>>(providers: impl IntoIterator<Item = S>) -> Self {
        let mut chain = Self { providers: Vec::new(), ends_local: true };
        for provider in providers.into_iter().map(Into::into) {
            if !chain.providers.contains(&provider) {
                chain.providers.push(provider);
            }
        }
        chain
    }

    /// Returns the chain without the built-in model, unless it is named explicitly, so that a call may fail.
    #[must_use]
    pub fn or_fail(self) -> Self {
        Self { ends_local: false, ..self }
    }

    /// Iterates over the links in order.
    pub fn links(&self) -> impl Iterator<Item = &str> {
        let last = self.ends_local && !self.providers.iter().any(|p| p == LOCAL);
        self.providers.iter().map(String::as_str).chain(last.then_some(LOCAL))
    }
}

/// A chain for each role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chains {
    default: Chain,
    by_role: BTreeMap<Role, Chain>,
}

impl Chains {
    /// The same chain for every role.
    #[must_use]
    pub fn all(chain: Chain) -> Self {
        Self { default: chain, by_role: BTreeMap::new() }
    }

    /// Sets a different chain for one role.
    #[must_use]
    pub fn with(mut self, role: Role, chain: Chain) -> Self {
        self.by_role.insert(role, chain);
        self
    }

    /// Returns the chain of a role.
    #[must_use]
    pub fn of(&self, role: Role) -> &Chain {
        self.by_role.get(&role).unwrap_or(&self.default)
    }

    /// Returns every link named in any chain, each once, sorted.
    #[must_use]
    pub fn providers(&self) -> Vec<&str> {
        let chains = std::iter::once(&self.default).chain(self.by_role.values());
        let mut names: Vec<&str> = chains.flat_map(Chain::links).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_ends_with_the_built_in_model_unless_it_says_otherwise() {
        let links = |c: &Chain| c.links().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(links(&Chain::new(["a:x", "b:y", "a:x"])), ["a:x", "b:y", LOCAL]);
        assert_eq!(links(&Chain::new(["a:x"]).or_fail()), ["a:x"]);
        assert_eq!(links(&Chain::new([LOCAL, "a:x"])), [LOCAL, "a:x"]);
        assert_eq!(links(&Chain::new([LOCAL]).or_fail()), [LOCAL]);
    }

    #[test]
    fn a_role_has_its_own_chain_or_the_default() {
        let chains = Chains::all(Chain::new(["a:x"])).with(Role::Synthesis, Chain::new(["b:y"]).or_fail());
        assert_eq!(chains.of(Role::Compression).links().next(), Some("a:x"));
        assert_eq!(chains.of(Role::Synthesis).links().next(), Some("b:y"));
        assert_eq!(chains.providers(), ["a:x", "b:y", LOCAL]);
    }
}
