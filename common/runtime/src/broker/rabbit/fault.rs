//! The client library's errors as ours: what was refused, and what ended.

use lapin::{Error, ErrorKind};

use crate::broker::BrokerError;

/// An error of something asked on a channel. The broker's own words never hold the address.
pub(super) fn asked(error: &Error) -> BrokerError {
    match error.kind() {
        ErrorKind::ProtocolError(said) if error.is_amqp_soft_error() => {
            BrokerError::Refused(said.get_message().to_string())
        }
        // Whatever else it is, the channel cannot be used any more.
        _ => BrokerError::Closed,
    }
}

/// An error of opening a connection.
pub(super) fn connecting(error: &Error) -> BrokerError {
    match error.kind() {
        ErrorKind::ProtocolError(said) => BrokerError::Refused(said.get_message().to_string()),
        _ => BrokerError::Unreachable(error.to_string()),
    }
}
