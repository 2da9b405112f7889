//! Counts that are left out of a message when they are 0.

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
pub(super) fn is_none(count: &u32) -> bool {
    *count == 0
}
