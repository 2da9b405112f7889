//! Why a message became a dead letter: the values of the header `x-precis-dead-reason`, used by `precis dead` and in failures returned to
//! callers.

use crate::words::words;

words! {
    /// Why a message is a dead letter.
    ///
    /// ```
    /// use precis_proto::dead_reason::DeadReason;
    ///
    /// assert_eq!(DeadReason::from_word("timed_out"), DeadReason::TimedOut);
    /// assert_eq!(DeadReason::from_word("of_a_newer_version").to_string(), "of_a_newer_version");
    /// ```
    DeadReason, other:
    /// A reason of the broker or of another version that this version does not know, as written.
    {
        /// The message cannot be decoded.
        Undecodable => "undecodable",
        /// The delivery limit was reached: the message was delivered repeatedly and never finished, because workers crashed on it.
        DeliveryLimit => "delivery_limit",
        /// The message was rejected, which no Precis worker does.
        Rejected => "rejected",
        /// The message expired in a queue, by a broker policy outside Precis.
        Expired => "expired",
        /// The queue was full, by a broker policy outside Precis.
        MaxLen => "maxlen",
        /// The phase failed in every allowed attempt.
        AttemptsExhausted => "attempts_exhausted",
        /// The phase panicked in every allowed attempt.
        Panicked => "panicked",
        /// The phase exceeded its time limit in every allowed attempt.
        TimedOut => "timed_out",
        /// A page of the session state is missing from the content store.
        StatePageMissing => "state_page_missing",
        /// The worker that handles dead letters crashed on the message repeatedly; the broker moved it to `precis.dead.last`.
        UndertakerLimit => "undertaker_limit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_as_what_wrote_it() {
        for reason in DeadReason::KNOWN {
            assert_eq!(DeadReason::from_word(reason.as_str()), *reason);
        }
        let newer = DeadReason::from_word("of_a_newer_version");
        assert_eq!((newer.as_str(), newer.known_word()), ("of_a_newer_version", None));
    }
}
