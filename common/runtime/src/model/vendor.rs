//! The supported vendor formats. Module `wire` reads and writes them.

/// The request format of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// Chat completions, as defined by OpenAI and offered by vLLM, Ollama, llama.cpp, LiteLLM and others.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}
