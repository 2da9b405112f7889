//! Reads a body: within its size, within its time, and within the memory there is for all bodies.

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, Stream, StreamExt};
use precis_proto::failure_code::FailureCode;
use tokio::time::{Duration, Instant, timeout_at};

use crate::limits::DoorLimits;
use crate::problem::Problem;

/// Checks that a body is JSON, as far as its sender says what it is.
///
/// # Errors
/// 415.
pub(crate) fn check_json(headers: &HeaderMap) -> Result<(), Problem> {
    let Some(given) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let kind = given.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let detail = "the body must be JSON; expected `Content-Type: application/json`";
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail))
}

/// Returns the size that a body is announced with, if it is within `most`.
///
/// # Errors
/// 413 before anything of the body is read.
pub(crate) fn announced_size(headers: &HeaderMap, most: usize) -> Result<Option<usize>, Problem> {
    let length = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match length.map(str::parse::<u64>) {
        Some(Ok(bytes)) => match usize::try_from(bytes) {
            Ok(bytes) if bytes <= most => Ok(Some(bytes)),
            _ => Err(too_large(most)),
        },
        Some(Err(_)) => Err(Problem::invalid("invalid_content_length", "Content-Length must be a number of bytes")),
        None => Ok(None),
    }
}

/// Reads the whole of `body`, up to `most` bytes.
///
/// # Errors
/// 413 above that, 408 if it comes too slowly, 400 if it ends early.
pub(crate) async fn whole(body: Body, most: usize, limits: &DoorLimits) -> Result<Bytes, Problem> {
    let (mut frames, mut read) = (std::pin::pin!(body_parts(body, most, *limits)), BytesMut::new());
    while let Some(bytes) = frames.next().await {
        read.extend_from_slice(&bytes?);
    }
    Ok(read.freeze())
}

/// The parts of `body` as they come, up to `most` bytes together. Ends with the first error: 413 above that, 408 if they come too slowly, 400
/// if it ends early.
pub(crate) fn body_parts(
    body: Body,
    most: usize,
    limits: DoorLimits,
) -> impl Stream<Item = Result<Bytes, Problem>> + Send + 'static {
    let (begun, start) = (Instant::now(), Some((body.into_data_stream(), 0)));
    stream::unfold(start, move |state| async move {
        let (mut frames, read) = state?;
        match timeout_at(begun + time_for(read, &limits), frames.next()).await {
            Ok(Some(Ok(bytes))) if bytes.len().saturating_add(read) <= most => {
                let read = read + bytes.len();
                Some((Ok(bytes), Some((frames, read))))
            }
            Ok(Some(Ok(_))) => Some((Err(too_large(most)), None)),
            Ok(Some(Err(_))) => {
                Some((Err(Problem::invalid("incomplete_body", "the body ended before all of it was sent")), None))
            }
            Ok(None) => None,
            Err(_) => Some((Err(too_slow(&limits)), None)),
        }
    })
}

/// The time, from its beginning, within which more of a body must come after `bytes` of it.
fn time_for(bytes: usize, limits: &DoorLimits) -> Duration {
    limits.body_grace + Duration::from_secs(bytes as u64 / limits.body_rate.max(1))
}

fn too_large(most: usize) -> Problem {
    let detail = format!("the body must have at most {most} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, FailureCode::RequestTooLarge.as_str(), detail)
        .with_remedy("send fewer or shorter sources in one request")
}

fn too_slow(limits: &DoorLimits) -> Problem {
    let detail = format!("the body came at less than {} bytes per second", limits.body_rate);
    Problem::new(StatusCode::REQUEST_TIMEOUT, "body_too_slow", detail)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use tokio::time::sleep;

    use super::*;

    fn dripping(bytes: usize, every: Duration) -> Body {
        let drops = stream::unfold(bytes, move |left| async move {
            if left == 0 {
                return None;
            }
            sleep(every).await;
            Some((Ok::<_, Infallible>(Bytes::from_static(b"x")), left - 1))
        });
        Body::from_stream(drops)
    }

    #[test]
    fn a_size_is_refused_before_it_is_read() {
        for (announced_bytes, most, status) in [
            ("9", 10, None),
            ("10", 10, None),
            ("11", 10, Some(413)),
            ("99999999999999999999999", 10, Some(400)),
            ("-1", 10, Some(400)),
        ] {
            let headers = [(CONTENT_LENGTH, announced_bytes.parse().expect("a value"))].into_iter().collect();
            assert_eq!(announced_size(&headers, most).err().map(|problem| problem.status), status, "{announced_bytes}");
        }
        assert_eq!(announced_size(&HeaderMap::new(), 10), Ok(None));
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        for (bytes, is_read) in [(9, true), (10, true), (11, false)] {
            let read = whole(Body::from(vec![b'x'; bytes]), 10, &DoorLimits::default()).await;
            assert_eq!(
                read.map(|read| read.len()).map_err(|problem| problem.status),
                if is_read { Ok(bytes) } else { Err(413) }
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_has_its_time_and_no_more() {
        let limits = DoorLimits { body_grace: Duration::from_secs(10), body_rate: 2, ..DoorLimits::default() };
        for (every_ms, status) in [(499, None), (500, None), (2_000, Some(408))] {
            let read = whole(dripping(100, Duration::from_millis(every_ms)), 1_000, &limits).await;
            assert_eq!(read.err().map(|problem| problem.status), status, "{every_ms}");
        }
        let begun = Instant::now();
        let nothing = whole(dripping(1, Duration::from_secs(3_600)), 10, &limits).await;
        assert_eq!(
            (nothing.err().map(|problem| problem.status), begun.elapsed()),
            (Some(408), Duration::from_secs(10))
        );
    }

    #[test]
    fn a_body_is_json_unless_its_sender_says_otherwise() {
        assert_eq!(check_json(&HeaderMap::new()), Ok(()));
        for (given, is_json) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/plain", false),
            ("application/jsonp", false),
        ] {
            let headers = [(CONTENT_TYPE, given.parse().expect("a value"))].into_iter().collect();
            assert_eq!(check_json(&headers).is_ok(), is_json, "{given}");
        }
    }
}
