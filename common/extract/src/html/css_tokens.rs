//! Reading pieces of CSS with a tokeniser: the content of a block, and the pieces between delimiters. An error in one never ends the
//! reading of what follows it.

use cssparser::{Delimiters, ParseError, Parser};

/// What `read` finds inside the block that was just opened; `None` if blocks are nested too deeply to be read.
pub(super) fn in_block<'i, T>(parser: &mut Parser<'i>, read: impl FnOnce(&mut Parser<'i>) -> T) -> Option<T> {
    let mut found = None;
    let _ = parser.parse_nested_block(|inside| {
        found = Some(read(inside));
        drain(inside)
    });
    found
}

/// What `read` finds up to the next of `delimiters` outside of brackets; the delimiter is consumed.
pub(super) fn until<'i, T>(
    parser: &mut Parser<'i>,
    delimiters: Delimiters,
    read: impl FnOnce(&mut Parser<'i>) -> T,
) -> Option<T> {
    let mut found = None;
    let _ = parser.parse_until_after(delimiters, |inside| {
        found = Some(read(inside));
        drain(inside)
    });
    found
}

/// Consumes the rest: the tokeniser drops the result of a reader that leaves some.
fn drain(parser: &mut Parser<'_>) -> Result<(), ParseError<()>> {
    while parser.next().is_ok() {}
    Ok(())
}
