//! Why a message was given up on: the words of the header `x-precis-dead-reason`, of `precis dead` and of the failures told to callers.

/// Makes the enum, its words and their list from one table, so that none of them can lack what another has.
macro_rules! dead_reasons {
    ($($(#[doc = $doc:literal])+ $reason:ident => $word:literal,)+) => {
        /// Why a message is a dead letter.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum DeadReason {
            $($(#[doc = $doc])+ $reason,)+
            /// A word of the broker or of another version that this one does not know, as it was written.
            Other(String),
        }

        impl DeadReason {
            /// All that this version knows: each reason but [`DeadReason::Other`].
            pub const KNOWN: &'static [Self] = &[$(Self::$reason,)+];

            /// The word that this version knows it by; `None` of [`DeadReason::Other`].
            #[must_use]
            pub fn known_word(&self) -> Option<&'static str> {
                match self {
                    $(Self::$reason => Some($word),)+
                    Self::Other(_) => None,
                }
            }
        }
    };
}

dead_reasons! {
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

impl DeadReason {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Other(word) => word,
            known => known.known_word().unwrap_or_default(),
        }
    }

    /// What `word` stands for.
    ///
    /// ```
    /// use precis_proto::dead_reason::DeadReason;
    ///
    /// assert_eq!(DeadReason::from_word("timed_out"), DeadReason::TimedOut);
    /// assert_eq!(DeadReason::from_word("of_a_newer_version").to_string(), "of_a_newer_version");
    /// ```
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        let known = Self::KNOWN.iter().find(|reason| reason.as_str() == word);
        known.cloned().unwrap_or_else(|| Self::Other(word.to_owned()))
    }
}

impl std::fmt::Display for DeadReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
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
