//! The marker of the fleet that uses a prefix: two fleets under one prefix replace each other's records all the time.

use std::time::Duration;

use redis::cmd;

use super::bounded::BoundedValue;
use super::values::PUT_IF_ABSENT;
use super::{RedisStore, millis};
use crate::content::FleetKey;
use crate::store::StoreError;

/// The key of the marker, after the prefix.
const MARKER: &str = "fleet";
/// What the fleet key signs as the marker.
const SIGNED: &str = "fleet-of-prefix";
/// How long a marker outlives the last worker that looked at it. Long enough for a fleet that is stopped over a month.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

impl RedisStore {
    /// Whether the records under this prefix are of this fleet, as far as the marker says; leaves a marker if there is none.
    pub(in crate::store) async fn is_of_this_fleet(&self) -> Result<bool, StoreError> {
        let Some(content) = &self.keys else { return Ok(true) };
        let unreadable = |e: crate::content::ContentError| StoreError(format!("cannot read the fleet key: {e}"));
        let (name, ours) =
            (format!("{}{MARKER}", self.prefix), content.fleet_key().await.map_err(unreadable)?.name(SIGNED));
        let mut script = PUT_IF_ABSENT.prepare_invoke();
        script.key(&name).arg(&ours).arg(millis(KEPT)).arg(2 * FleetKey::TAG_BYTES);
        let is_ours = match self.link.script(&script).await? {
            BoundedValue::Absent => true,
            BoundedValue::Whole(found) => found == ours.as_bytes(),
            BoundedValue::TooLarge { .. } => false,
        };
        if is_ours {
            self.link.command::<u64>(cmd("PEXPIRE").arg(name).arg(millis(KEPT))).await?;
        }
        Ok(is_ours)
    }
}
