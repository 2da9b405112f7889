//! The vendors whose formats are known. How each writes and reads is in `wire`.

/// Whose format a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vendor {
    /// Chat completions, as OpenAI defined them and vLLM, Ollama, llama.cpp, LiteLLM and others speak them.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}
