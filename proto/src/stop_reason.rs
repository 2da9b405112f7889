//! Why a session ended before it was done.

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
    /// A word of another version that this one does not know, as it was written.
    {
        /// Its deadline had come.
        Deadline => "deadline",
        /// Somebody asked it to end with what it had.
        Stop => "stop",
    }
}
