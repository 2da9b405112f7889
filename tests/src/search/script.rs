//! What a scripted search server may do with a request.

/// One reaction to one request.
#[derive(Debug, Clone)]
pub enum Reply {
    /// What the engine finds, in the shape of the provider.
    Fitting,
    /// Nothing found, in the shape of the provider.
    Nothing,
    /// So many results, whatever was asked for.
    Many(usize),
    /// Results with these addresses.
    Addresses(Vec<String>),
    /// A 200 with an error page.
    ErrorPage,
    /// A 200 with this body.
    Body(String),
    /// The first half of a fitting answer, as if it were whole.
    HalfJson,
    /// A fitting answer whose title is a number.
    WrongTypes,
    /// A 200 of at least so many bytes, in the shape of the provider.
    Huge(usize),
    /// This status, with headers and this body.
    Refuse(u16, Vec<(&'static str, String)>, String),
    /// This status, with a message that repeats key and query.
    Repeat(u16),
    /// A redirect to this address.
    Redirect(String),
    /// A fitting answer, but only after [`super::ScriptedSearch::release`].
    Held,
    /// Silence.
    Hang,
    /// Half an answer, then silence.
    Stall,
    /// Half an answer, then the end of the connection.
    Cut,
}

impl Reply {
    /// This status without a word.
    #[must_use]
    pub fn status(status: u16) -> Self {
        Self::Refuse(status, Vec::new(), String::new())
    }

    /// 429 that asks for so many seconds.
    #[must_use]
    pub fn wait(seconds: f64) -> Self {
        Self::Refuse(429, vec![("retry-after", seconds.to_string())], String::new())
    }
}
