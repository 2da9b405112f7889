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
    /// Where it stands against a run that is raised or lowered itself, as an exponent of an exponent.
    pub(crate) inner: Position,
    /// Whether a line is drawn through it.
    pub(crate) is_struck: bool,
    /// Whether readers of the document do not see it.
    pub(crate) is_hidden: bool,
    /// Whether it is the mark of a note and leads to the note.
    pub(crate) is_note: bool,
}

impl Marks {
    /// These marks, given by a style, over those of the style around it: the nearer position counts.
    pub(crate) fn over(self, around: Self) -> Self {
        let position = if self.position == Position::Baseline { around.position } else { self.position };
        Self { position, inner: Position::Baseline, ..self.within(around) }
    }

    /// These marks and those of the run around it.
    pub(crate) fn within(self, around: Self) -> Self {
        let (position, inner) = match (around.position, self.position) {
            (Position::Baseline, own) => (own, self.inner),
            (around_it, Position::Baseline) => (around_it, around.inner),
            (around_it, own) => (around_it, own),
        };
        Self {
            position,
            inner,
            is_struck: self.is_struck || around.is_struck,
            is_hidden: self.is_hidden || around.is_hidden,
            is_note: self.is_note || around.is_note,
        }
    }
}
