//! Reads lines of at most a given length: a longer one is told of and skipped, never kept.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// Longest message of a client, in bytes without the line break. Questions and paths are short: documents are named, not sent.
pub(super) const MAX_LINE_BYTES: usize = 1 << 20;

/// A line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Without its line break.
    Whole(Vec<u8>),
    /// It is longer than the limit, and was skipped.
    TooLong,
}

/// Lines of `input`.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: BufReader<R>,
    max_bytes: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R, max_bytes: usize) -> Self {
        Self { input: BufReader::new(input), max_bytes }
    }

    /// Returns the next line; `None` at the end. What stands after the last line break is a line too, if it is not empty.
    ///
    /// # Errors
    /// Those of the input.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        let (mut line, mut is_too_long, mut has_begun) = (Vec::new(), false, false);
        loop {
            let read = self.input.fill_buf().await?;
            if read.is_empty() {
                return Ok(has_begun.then(|| end_line(line, is_too_long)));
            }
            has_begun = true;
            let end = read.iter().position(|byte| *byte == b'\n');
            let part = &read[..end.unwrap_or(read.len())];
            // One byte more may be kept: a carriage return before the line break is not part of the message.
            is_too_long |= line.len() + part.len() > self.max_bytes + 1;
            if !is_too_long {
                line.extend_from_slice(part);
            }
            let taken = end.map_or(read.len(), |end| end + 1);
            self.input.consume(taken);
            if end.is_some() {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                is_too_long |= line.len() > self.max_bytes;
                return Ok(Some(end_line(line, is_too_long)));
            }
        }
    }
}

fn end_line(line: Vec<u8>, is_too_long: bool) -> Line {
    if is_too_long { Line::TooLong } else { Line::Whole(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &[u8], max_bytes: usize) -> Vec<Line> {
        let mut lines = Lines::new(input, max_bytes);
        let mut found = Vec::new();
        while let Some(line) = lines.next().await.expect("in memory") {
            found.push(line);
        }
        found
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn a_line_may_be_as_long_as_the_limit_and_no_longer() {
        for (bytes, is_whole) in [(MAX_LINE_BYTES - 1, true), (MAX_LINE_BYTES, true), (MAX_LINE_BYTES + 1, false)] {
            for end in ["\n", "\r\n"] {
                let text = "x".repeat(bytes);
                let found = lines(format!("{text}{end}next\n").as_bytes(), MAX_LINE_BYTES).await;
                let first = if is_whole { whole(&text) } else { Line::TooLong };
                assert_eq!(found, [first, whole("next")], "{bytes} {end:?}");
            }
        }
    }

    #[tokio::test]
    async fn the_text_after_the_last_break_is_a_line() {
        assert_eq!(lines(b"a\n\nb", 9).await, [whole("a"), whole(""), whole("b")]);
        assert_eq!(lines(b"", 9).await, []);
        assert_eq!(lines(b"0123456789a", 9).await, [Line::TooLong]);
    }
}
