//! The mark that shows to a user which reports their own commands wrote.

use std::io;

use precis_proto::response::Response;
use precis_proto::seal::seal;
use precis_runtime::config::{UserKey, user_data_dir};

use super::settings::environment;
use crate::cli::terminal;

/// Adds the user's mark to a sealed report. Without a key the report stays unmarked, with a warning unless `quiet`: later commands treat
/// it as from elsewhere.
pub(super) fn add(response: &mut Response, quiet: bool) {
    let Some(seal) = &response.seal else { return };
    match key() {
        Ok(key) => response.mark = Some(key.mark(seal)),
        Err(_) if quiet => {}
        Err(error) => terminal::print_warning(&format!(
            "the report is not marked as yours, so later commands treat its question as confidential: {error}"
        )),
    }
}

/// Returns whether one of this user's commands wrote the report, as it is now.
///
/// # Errors
/// The user's key cannot be used.
pub(super) fn is_ours(response: &Response) -> io::Result<bool> {
    let key = key()?;
    // The seal is computed anew: the one in the file says nothing about changed data.
    let found = response.data.as_ref().and_then(seal);
    Ok(found.zip(response.mark.as_deref()).is_some_and(|(seal, mark)| key.has_marked(&seal, mark)))
}

fn key() -> io::Result<UserKey> {
    UserKey::open(&user_data_dir(&environment())?)
}
