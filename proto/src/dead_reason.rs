//! Why a message was given up on: the words of the header `x-precis-dead-reason`, of `precis dead` and of the failures told to callers.

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
    /// A word of the broker or of another version that this one does not know, as it was written.
    {
        /// It cannot be read.
        Undecodable => "undecodable",
        /// The broker delivered it too often without an end: workers died over it.
        DeliveryLimit => "delivery_limit",
        /// Rejected, which no worker of ours does.
        Rejected => "rejected",
        /// Its time in a queue was over, by a policy of somebody else's.
        Expired => "expired",
        /// Its queue was full, by a policy of somebody else's.
        MaxLen => "maxlen",
        /// Its phase failed as often as it may.
        AttemptsExhausted => "attempts_exhausted",
        /// Its phase panicked as often as it may.
        Panicked => "panicked",
        /// Its phase outlasted its limit as often as it may.
        TimedOut => "timed_out",
        /// A page of the session's state is gone from the content store.
        StatePageMissing => "state_page_missing",
        /// Whoever keeps the dead letters died over it: it lies in `precis.dead.last`, where the broker put it.
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
