//! The record of how a session ended: what an operator asks of many sessions at once, without their results. The result is the truth; a
//! session without this record, because a worker died right after its result was kept, has ended all the same.

use std::collections::BTreeMap;

use bytes::Bytes;
use precis_proto::ids::sha256_hex;
use precis_proto::ledger::{LedgerRow, SpendRow};
use precis_proto::response::{ReportData, Response, Status};
use precis_proto::state::PhaseTime;
use precis_proto::stop_reason::StopReason;
use precis_proto::warning::WarningCode;
use precis_proto::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::content::{ContentError, ContentStore};

/// Kind of the named contents that hold these records.
pub const ENDED: &str = "ended";
/// Version of the record.
const RECORD_VERSION: u32 = 1;

/// How a session ended. Has no text of a document and none of the report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndedSession {
    /// Version of this record; readers ignore fields they do not know.
    pub schema_version: u32,
    /// When its result was kept.
    pub ended_at: Timestamp,
    /// Its status.
    pub status: Status,
    /// Why it ended where it did; only with a report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// Whether something that was asked for is missing.
    pub incomplete: bool,
    /// The code of its failure; only without a report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<String>,
    /// Seconds in each phase.
    #[serde(default)]
    pub phases: Vec<PhaseTime>,
    /// Number of citations.
    pub citations: u64,
    /// Tokens through all phases together.
    pub tokens: LedgerSums,
    /// What was spent at each provider.
    #[serde(default)]
    pub spend: BTreeMap<String, ProviderSpend>,
    /// Distinct warning codes.
    #[serde(default)]
    pub warnings: Vec<WarningCode>,
    /// SHA-256 of the result as kept, in hexadecimal digits.
    pub result_sha256: String,
    /// Size of the result as kept.
    pub result_bytes: u64,
}

/// Sums over the rows of a ledger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerSums {
    /// Tokens passed on, over all phases.
    pub kept: u64,
    /// Tokens lost by shortening.
    pub reduced: u64,
    /// Tokens lost by dropping.
    pub dropped: u64,
    /// Tokens left out as duplicates.
    pub duplicate: u64,
}

/// What was spent at a provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ProviderSpend {
    /// Calls that reached it.
    pub calls: u64,
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// US dollars; 0 if the price is unknown or zero.
    pub cost_usd: f64,
}

impl EndedSession {
    /// The record of a session whose result is kept as `kept`, the JSON of `response`.
    #[must_use]
    pub fn of(response: &Response, kept: &[u8], status: Status, ended_at: Timestamp) -> Self {
        let data = response.data.as_ref();
        let info = data.map(|data| &data.session);
        Self {
            schema_version: RECORD_VERSION,
            ended_at,
            status,
            stop_reason: info.and_then(|info| info.stop_reason.clone()),
            incomplete: info.is_some_and(|info| info.incomplete),
            error_code: response.error.as_ref().map(|error| error.code.to_string()),
            phases: info.map(|info| info.phases.clone()).unwrap_or_default(),
            citations: data.map_or(0, |data| data.citations.len() as u64),
            tokens: data.map(|data| sums(&data.ledger)).unwrap_or_default(),
            spend: data.map(spend_by_provider).unwrap_or_default(),
            warnings: response.meta.warnings.clone(),
            result_sha256: sha256_hex(kept),
            result_bytes: kept.len() as u64,
        }
    }
}

fn sums(rows: &[LedgerRow]) -> LedgerSums {
    rows.iter().fold(LedgerSums::default(), |sums, row| LedgerSums {
        kept: sums.kept.saturating_add(row.tokens_kept),
        reduced: sums.reduced.saturating_add(row.tokens_reduced),
        dropped: sums.dropped.saturating_add(row.tokens_dropped),
        duplicate: sums.duplicate.saturating_add(row.tokens_duplicate),
    })
}

fn spend_by_provider(data: &ReportData) -> BTreeMap<String, ProviderSpend> {
    let mut spend = BTreeMap::new();
    for row in &data.spend {
        add(spend.entry(row.provider.clone()).or_default(), row);
    }
    spend
}

fn add(sum: &mut ProviderSpend, row: &SpendRow) {
    sum.calls = sum.calls.saturating_add(row.calls);
    sum.input_tokens = sum.input_tokens.saturating_add(row.input_tokens);
    sum.output_tokens = sum.output_tokens.saturating_add(row.output_tokens);
    sum.cost_usd += row.cost_usd;
}

/// Keeps the record of `session` unless it has one.
///
/// # Errors
/// [`ContentError`].
pub async fn keep_ended(content: &ContentStore, session: &SessionId, ended: &EndedSession) -> Result<(), ContentError> {
    let json = serde_json::to_vec(ended).expect("a record is plain data");
    content.put_named_if_absent(ENDED, session.as_str(), Bytes::from(json)).await.map(drop)
}

/// Returns how `session` ended; `None` if it has no such record, or one that this version cannot read.
///
/// # Errors
/// [`ContentError`].
pub async fn read_ended(content: &ContentStore, session: &SessionId) -> Result<Option<EndedSession>, ContentError> {
    let kept = content.get_named(ENDED, session.as_str()).await?;
    Ok(kept.and_then(|kept| serde_json::from_slice(&kept).ok()))
}

#[cfg(test)]
mod tests {
    use precis_proto::failure_code::FailureCode;
    use precis_proto::response::ErrorInfo;

    use super::*;

    #[tokio::test]
    async fn a_failure_is_recorded_with_its_code_and_without_its_words() {
        let error = ErrorInfo::new(Status::Failed, FailureCode::OverBudget, "SECRET words");
        let response = Response::failure(error);
        let ended = EndedSession::of(&response, b"kept", Status::Failed, Timestamp(5));
        assert_eq!((ended.error_code.as_deref(), ended.result_bytes), (Some("over_budget"), 4));
        assert_eq!(ended.result_sha256, sha256_hex(b"kept"));
        assert!(!serde_json::to_string(&ended).expect("plain data").contains("SECRET"));
        let (content, session) = (ContentStore::in_memory(), SessionId::new("s").expect("an id"));
        assert_eq!(read_ended(&content, &session).await, Ok(None));
        keep_ended(&content, &session, &ended).await.expect("kept");
        let later = EndedSession { ended_at: Timestamp(9), ..ended.clone() };
        keep_ended(&content, &session, &later).await.expect("kept");
        assert_eq!(read_ended(&content, &session).await, Ok(Some(ended)));
    }

    #[test]
    fn sums_are_over_all_rows_and_providers() {
        let row = |kept, dropped| LedgerRow {
            phase: precis_proto::Phase::Digest,
            items_in: 1,
            tokens_in: kept + dropped,
            tokens_kept: kept,
            tokens_reduced: 0,
            tokens_dropped: dropped,
            tokens_duplicate: 0,
            visit: 0,
        };
        let expected = LedgerSums { kept: 30, dropped: 3, ..LedgerSums::default() };
        assert_eq!(sums(&[row(10, 1), row(20, 2)]), expected);
        let mut sum = ProviderSpend::default();
        for cost_usd in [0.25, 0.5] {
            let row = SpendRow::new(None, precis_proto::task::Role::Research, "a:b");
            add(&mut sum, &SpendRow { calls: 2, input_tokens: 3, output_tokens: 4, cost_usd, ..row });
        }
        assert_eq!(sum, ProviderSpend { calls: 4, input_tokens: 6, output_tokens: 8, cost_usd: 0.75 });
    }
}
