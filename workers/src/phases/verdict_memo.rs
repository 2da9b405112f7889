//! Verdicts on statements, kept beyond the call and the session they came in: a draft that repeats a statement with the same passages
//! does not pay for it again.

use std::collections::BTreeMap;

use precis_proto::ids::sha256_hex;
use precis_proto::task::StatementVerdict;
use precis_report::claims::{HeardVerdict, OpenStatement, Opinion};
use precis_runtime::cache::{CacheFamily, CacheKey};
use precis_runtime::runner::PhaseContext;

use super::claims::DraftToSettle;

/// The keys of statements, by the index of their claim.
pub(super) struct VerdictKeys {
    keys: BTreeMap<usize, CacheKey>,
}

impl VerdictKeys {
    /// The keys of `open` in `draft`, for judges of `chain`. Another chain judges anew.
    pub(super) fn new(open: &[OpenStatement], draft: &DraftToSettle, chain: &[String]) -> Self {
        let pieces = draft.pieces();
        let key = |one: &OpenStatement| {
            let own = one.verdict_key(&pieces)?;
            let text = sha256_hex(format!("{}\u{1e}{own}", chain.join(",")).as_bytes());
            Some((one.claim, CacheKey::new(CacheFamily::Verdict, text)))
        };
        Self { keys: open.iter().filter_map(key).collect() }
    }

    /// The opinions on those of `open` that were judged before, and the statements that are left to judge.
    pub(super) async fn recall(
        &self,
        open: Vec<OpenStatement>,
        draft: &DraftToSettle,
        ctx: &PhaseContext,
    ) -> (BTreeMap<usize, Opinion>, Vec<OpenStatement>) {
        let (mut heard, mut left) = (BTreeMap::new(), Vec::new());
        for one in open {
            let kept: Option<StatementVerdict> = match self.keys.get(&one.claim) {
                Some(key) => ctx.cache().get(key).await,
                None => None,
            };
            match kept.and_then(|verdict| one.recall(&verdict, &draft.pieces())) {
                Some(opinion) => drop(heard.insert(one.claim, opinion)),
                None => left.push(one),
            }
        }
        (heard, left)
    }

    /// Keeps the `verdicts` of a call whose controls were right.
    pub(super) async fn keep(&self, verdicts: &[HeardVerdict], ctx: &PhaseContext) {
        for one in verdicts {
            if let Some(key) = self.keys.get(&one.claim) {
                let _: Option<StatementVerdict> = ctx.cache().keep(key, &one.said).await;
            }
        }
    }
}
