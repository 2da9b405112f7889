//! The records of standing questions of the user who started the command.

use precis_runtime::config::user_data_dir;

use crate::cli::exit::{CommandFailure, Exit};
use crate::commands::settings::environment;
use crate::standing::Records;

/// Opens the records of this user.
///
/// # Errors
/// [`Exit::Refused`] without a home directory; as [`Records::open`].
pub(super) fn records() -> Result<Records, CommandFailure> {
    let data = user_data_dir(&environment())
        .map_err(|e| CommandFailure::new(Exit::Refused, "no_home", format!("find your data directory: {e}")))?;
    Records::open(&data)
}

/// The failure of a command that names a question that does not stand.
pub(super) fn unknown(id: &str) -> CommandFailure {
    CommandFailure::new(Exit::Refused, "unknown_question", format!("there is no standing question `{id}`"))
        .with_remedy("run `precis standing list` to see their ids")
}
