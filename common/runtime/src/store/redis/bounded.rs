//! Reads that are bounded on the server: a value that is too large is not sent, so that whoever wrote it cannot fill the memory of a
//! worker.

use std::sync::LazyLock;

use bytes::Bytes;
use redis::{FromRedisValue, ParsingError, Pipeline, Script, Value};

use super::RedisStore;
use crate::store::StoreError;

pub(super) static READ: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("read.lua")));

/// What a bounded read found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum BoundedValue {
    Absent,
    Whole(Bytes),
    /// More bytes than the limit; not sent.
    TooLarge {
        size_bytes: u64,
    },
}

impl FromRedisValue for BoundedValue {
    fn from_redis_value(value: Value) -> Result<Self, ParsingError> {
        match value {
            Value::Nil => Ok(Self::Absent),
            Value::Int(size) => Ok(Self::TooLarge { size_bytes: u64::try_from(size).unwrap_or(u64::MAX) }),
            other => Bytes::from_redis_value(other).map(Self::Whole),
        }
    }
}

impl RedisStore {
    /// Reads what is stored under the Redis key `name`, up to `max_bytes`.
    pub(super) async fn read(&self, name: &str, max_bytes: usize) -> Result<BoundedValue, StoreError> {
        let mut script = READ.prepare_invoke();
        script.key(name).arg(max_bytes);
        self.link.script(&script).await
    }
}

/// Adds the command that reads what is stored under the Redis key `name`, up to `max_bytes`.
pub(super) fn push_read(pipeline: &mut Pipeline, name: &str, max_bytes: usize) {
    pipeline.cmd("EVALSHA").arg(READ.get_hash()).arg(1).arg(name).arg(max_bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reply_of_a_bounded_read_is_value_size_or_absent() {
        for (reply, found) in [
            (Value::Nil, BoundedValue::Absent),
            (Value::Int(9), BoundedValue::TooLarge { size_bytes: 9 }),
            (Value::BulkString(b"9".to_vec()), BoundedValue::Whole(Bytes::from_static(b"9"))),
            (Value::BulkString(Vec::new()), BoundedValue::Whole(Bytes::new())),
        ] {
            assert_eq!(BoundedValue::from_redis_value(reply).ok(), Some(found));
        }
    }
}
