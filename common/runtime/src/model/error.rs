//! Errors of setting up models, with the provider and the key or variable at fault.

/// An error of setting up models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    /// A chain names a provider that is not configured.
    #[error("provider `{provider}` of a chain is not configured: expected NAME:MODEL with NAME one of {known}")]
    UnknownProvider {
        /// As written in the chain.
        provider: String,
        /// The configured names.
        known: String,
    },
    /// A value of a provider's configuration is invalid.
    #[error("providers.{name}.{key}: {reason}")]
    Provider {
        /// The provider.
        name: String,
        /// The key at fault.
        key: String,
        /// Why its value is invalid.
        reason: String,
    },
    /// A variable listed in a tool's `env` is not set.
    #[error("provider `{name}` lists the environment variable {variable} in `env`, which is not set")]
    MissingVariable {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
    /// The variable of a provider's key is not set.
    #[error("provider `{name}` needs its key in the environment variable {variable}, which is not set")]
    MissingKey {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
}
