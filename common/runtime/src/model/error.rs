//! Why models cannot be set up: which provider is at fault, and which key or variable.

/// Why models cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelsError {
    /// A chain names a provider nobody configured.
    #[error("provider `{provider}` of a chain is not configured: expected NAME:MODEL with NAME one of {known}")]
    UnknownProvider {
        /// As written in the chain.
        provider: String,
        /// Names there are.
        known: String,
    },
    /// A provider's configuration makes no sense.
    #[error("providers.{name}.{key}: {reason}")]
    Provider {
        /// The provider.
        name: String,
        /// The key at fault.
        key: String,
        /// What is wrong with its value.
        reason: String,
    },
    /// A variable that a tool shall have is not in the environment.
    #[error("provider `{name}` shall have the environment variable {variable}, which is not set")]
    MissingVariable {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
    /// A provider's key is not in the environment.
    #[error("provider `{name}` needs its key in the environment variable {variable}, which is not set")]
    MissingKey {
        /// The provider.
        name: String,
        /// The variable.
        variable: String,
    },
}
