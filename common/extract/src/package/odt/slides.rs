//! [`OdpSlides`]: where on the slides of a presentation the reading has got to.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::super::markup::XmlElement;

/// The slides of a presentation; as created for any other document.
#[derive(Debug, Default)]
pub(super) struct OdpSlides {
    /// Number of hidden slides.
    pub(super) hidden: usize,
    /// Whether a slide is open.
    pub(super) is_open: bool,
    /// Whether the speaker's notes of the slide are open.
    pub(super) in_notes: bool,
    /// Comments on the open slide.
    pub(super) comments: Vec<Leaf>,
    /// The open frames.
    frames: Vec<Frame>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Title,
    /// Date, footer, number of the slide.
    Furniture,
    Text,
}

impl OdpSlides {
    /// Begins a frame.
    pub(super) fn open_frame(&mut self, element: &XmlElement<'_>) {
        self.frames.push(match element.attribute("class").as_deref() {
            Some("title") => Frame::Title,
            Some("header" | "footer" | "date-time" | "page-number") => Frame::Furniture,
            _ => Frame::Text,
        });
    }

    /// Ends a frame.
    pub(super) fn close_frame(&mut self) {
        self.frames.pop();
    }

    /// Kind and level of the blocks read here, if their place decides them.
    pub(super) fn role(&self) -> Option<(BlockKind, Option<u8>)> {
        match self.frames.last().filter(|_| self.is_open)? {
            Frame::Furniture => Some((BlockKind::Furniture, None)),
            _ if self.in_notes => Some((BlockKind::Footnote, None)),
            Frame::Title => Some((BlockKind::Heading, Some(1))),
            Frame::Text => None,
        }
    }
}
