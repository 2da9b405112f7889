//! Why a session ended early.

use crate::words::words;

words! {
    /// Why a session ended early.
    ///
    /// ```
    /// use precis_proto::stop_reason::StopReason;
    ///
    /// assert_eq!(StopReason::from_word("deadline"), StopReason::Deadline);
    /// assert_eq!(StopReason::from_word("of_a_newer_version").as_str(), "of_a_newer_version");
    /// ```
    StopReason, other:
    /// A reason of another version that this version does not know, as written.
    {
        /// The deadline was reached.
        Deadline => "deadline",
        /// A stop was requested.
        Stop => "stop",
    }
}
