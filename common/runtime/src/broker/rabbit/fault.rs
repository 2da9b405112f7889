//! Converts the client library's errors into [`BrokerError`].

use lapin::{Error, ErrorKind};

use crate::broker::BrokerError;

/// Converts an error of a channel operation. The broker's messages never contain the address.
pub(super) fn on_channel(error: &Error) -> BrokerError {
    match error.kind() {
        ErrorKind::ProtocolError(reason) if error.is_amqp_soft_error() => {
            BrokerError::Refused(reason.get_message().to_string())
        }
        // Any other error leaves the channel unusable.
        _ => BrokerError::Closed,
    }
}

/// Converts an error of opening a connection.
pub(super) fn on_connect(error: &Error) -> BrokerError {
    match error.kind() {
        ErrorKind::ProtocolError(reason) => BrokerError::Refused(reason.get_message().to_string()),
        _ => BrokerError::Unreachable(error.to_string()),
    }
}
