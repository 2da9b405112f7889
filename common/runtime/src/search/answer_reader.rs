//! Reading what a provider answered, without asking anybody: for whoever tries readers with wrong answers.

use super::answer::{DroppedResults, WebHit};
use super::call::SearchCall;
use super::config::{SearchProviderConfig, SearchSetupError};
use super::failure::ProviderFailure;
use super::searcher::{FittedQuery, Searcher};

/// Reads answers to one search as a search reads them. Nothing is sent.
#[derive(Debug)]
pub struct AnswerReader {
    searcher: Searcher,
    fitted: FittedQuery,
}

impl AnswerReader {
    /// Of answers of the provider `config` describes to `call`.
    ///
    /// # Errors
    /// What is wrong with `config`.
    pub fn new(config: &SearchProviderConfig, call: &SearchCall) -> Result<Self, SearchSetupError> {
        let searcher = Searcher::new(config)?;
        let fitted = searcher.fit(call);
        Ok(Self { searcher, fitted })
    }

    /// The hits in an answer with `status` and `body`, and what was left out.
    ///
    /// # Errors
    /// Why there are none.
    pub fn read(&self, status: u16, body: &[u8]) -> Result<(Vec<WebHit>, DroppedResults), ProviderFailure> {
        let page =
            self.searcher.read(&self.fitted, status, body).map_err(|failure| self.searcher.explained(failure))?;
        Ok(self.searcher.choose(&self.fitted, page))
    }
}
