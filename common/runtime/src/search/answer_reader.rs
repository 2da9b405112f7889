//! Reads provider responses without sending a request, for tests with malformed responses.

use super::answer::{DroppedResults, WebHit};
use super::call::SearchCall;
use super::config::{SearchProviderConfig, SearchSetupError};
use super::failure::ProviderFailure;
use super::searcher::{FittedQuery, Searcher};

/// Reads responses to one search exactly as a search does. Sends nothing.
#[derive(Debug)]
pub struct AnswerReader {
    searcher: Searcher,
    fitted: FittedQuery,
}

impl AnswerReader {
    /// Creates a reader of responses to `call` from the provider that `config` describes.
    ///
    /// # Errors
    /// [`SearchSetupError`] if `config` is invalid.
    pub fn new(config: &SearchProviderConfig, call: &SearchCall) -> Result<Self, SearchSetupError> {
        let searcher = Searcher::new(config)?;
        let fitted = searcher.fit(call);
        Ok(Self { searcher, fitted })
    }

    /// Returns the hits in a response with `status` and `body`, and the counts of results left out.
    ///
    /// # Errors
    /// [`ProviderFailure`] if the response is a refusal or not in the documented format.
    pub fn read(&self, status: u16, body: &[u8]) -> Result<(Vec<WebHit>, DroppedResults), ProviderFailure> {
        let page =
            self.searcher.read(&self.fitted, status, body).map_err(|failure| self.searcher.explain_failure(failure))?;
        Ok(self.searcher.choose(&self.fitted, page))
    }
}
