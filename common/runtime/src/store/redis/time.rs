//! The clock of the server.

use precis_proto::Timestamp;
use redis::cmd;

use super::RedisStore;
use crate::store::StoreError;

impl RedisStore {
    pub(in crate::store) async fn time(&self) -> Result<Option<Timestamp>, StoreError> {
        let (seconds, micros): (i64, i64) = self.link.command(&cmd("TIME")).await?;
        Ok(Some(Timestamp(seconds.saturating_mul(1_000).saturating_add(micros / 1_000))))
    }
}
