//! [`Marks`]: what typography says about a run.

/// Where a run stands against its line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Position {
    /// On the line.
    #[default]
    Baseline,
    /// Above it: exponents, ordinals, marks of notes.
    Raised,
    /// Below it: indices, numbers of atoms.
    Lowered,
}

/// The marks of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) position: Position,
    /// Whether a line is drawn through it.
    pub(crate) is_struck: bool,
    /// Whether readers of the document do not see it.
    pub(crate) is_hidden: bool,
    /// Whether it is the mark of a note and leads to the note.
    pub(crate) is_note: bool,
}

impl Marks {
    /// These marks and those of the run around it; the inner position counts.
    pub(crate) fn within(self, around: Self) -> Self {
        let position = match self.position {
            Position::Baseline => around.position,
            Position::Raised | Position::Lowered => self.position,
        };
        Self {
            position,
            is_struck: self.is_struck || around.is_struck,
            is_hidden: self.is_hidden || around.is_hidden,
            is_note: self.is_note || around.is_note,
        }
    }
}
