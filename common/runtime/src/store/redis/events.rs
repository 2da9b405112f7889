//! The logs of events: one stream per session, whose ids are made by the clock of the server.

use std::collections::HashMap;

use bytes::Bytes;
use precis_proto::SessionId;
use redis::{FromRedisValue, Value, cmd, pipe};

use super::bounded::BoundedValue;
use super::{RedisStore, millis};
use crate::store::StoreError;
use crate::store::event_log::{EventId, LOG_KEPT, LOGGED_EVENTS, LoggedEvent};

/// The one field of an entry.
const FIELD: &str = "e";

impl RedisStore {
    pub(in crate::store) async fn add_events(&self, events: &[(SessionId, Bytes)]) -> Result<(), StoreError> {
        let mut commands = pipe();
        let mut names: HashMap<&SessionId, String> = HashMap::new();
        for (session, json) in events {
            let (key, name) = (key(session), self.value_key(&key(session)).await?);
            let sealed = self.seal(&key, json).await?;
            // Trimmed roughly: exactly would cost more than the few entries it saves.
            let trimmed = commands.cmd("XADD").arg(&name).arg("MAXLEN").arg("~").arg(LOGGED_EVENTS);
            trimmed.arg("*").arg(FIELD).arg(&sealed[..]).ignore();
            names.insert(session, name);
        }
        for name in names.values() {
            commands.cmd("PEXPIRE").arg(name).arg(millis(LOG_KEPT)).ignore();
        }
        self.link.pipeline::<()>(&commands).await.map(drop)
    }

    pub(in crate::store) async fn remove_events(&self, session: &SessionId) -> Result<(), StoreError> {
        self.link.command(cmd("UNLINK").arg(self.value_key(&key(session)).await?)).await
    }

    pub(in crate::store) async fn events_from(
        &self,
        session: &SessionId,
        from: Option<EventId>,
        limit: usize,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        let (key, first) = (key(session), from.map_or("-".to_owned(), |from| from.to_string()));
        let name = self.value_key(&key).await?;
        let found: Vec<Entry> =
            self.link.command(cmd("XRANGE").arg(name).arg(first).arg("+").arg("COUNT").arg(limit)).await?;
        let mut events = Vec::with_capacity(found.len());
        for Entry { id, sealed } in found {
            // What the fleet did not write is left out.
            if let Some(json) = self.open(&key, BoundedValue::Whole(sealed)).await? {
                events.push(LoggedEvent { id, json });
            }
        }
        Ok(events)
    }
}

fn key(session: &SessionId) -> String {
    format!("events:{session}")
}

/// An entry of a stream: its id, and the value of its one field.
#[derive(Debug, PartialEq)]
struct Entry {
    id: EventId,
    sealed: Bytes,
}

impl FromRedisValue for Entry {
    fn from_redis_value(value: Value) -> Result<Self, redis::ParsingError> {
        let (id, fields): (String, Vec<Bytes>) = FromRedisValue::from_redis_value(value)?;
        let id = EventId::from_text(&id).ok_or_else(|| redis::ParsingError::from("not an id of an entry"))?;
        // An entry of another shape was not written by the fleet, and opens as nothing.
        Ok(Self { id, sealed: fields.into_iter().nth(1).unwrap_or_default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_an_id_and_the_value_of_its_field() {
        let text = |text: &str| Value::BulkString(text.as_bytes().to_vec());
        let entry = |id: &str, fields: Vec<Value>| {
            Entry::from_redis_value(Value::Array(vec![text(id), Value::Array(fields)])).ok()
        };
        let id = EventId { ms: 7, number: 1 };
        assert_eq!(entry("7-1", vec![text("e"), text("x")]), Some(Entry { id, sealed: Bytes::from_static(b"x") }));
        assert_eq!(entry("7-1", Vec::new()), Some(Entry { id, sealed: Bytes::new() }));
        assert_eq!(entry("seven", Vec::new()), None);
    }
}
