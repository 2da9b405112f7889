//! Meaning as ranking sees it: texts as vectors, and scores by words joined with scores by meaning.
//!
//! Where the vectors come from is not known here: whoever ranks passes a [`Meaning`] beside the ranker, or none. Without one every score
//! is as by words alone.

mod fusion;
mod vector;

pub use fusion::{WordScores, fuse, fused_within};
pub use vector::{VECTOR_SCALE_BYTES, Vector, dot};

use std::fmt::Debug;

/// Gives vectors to texts; equal texts always get equal ones.
pub trait Meaning: Debug + Send + Sync {
    /// What the vectors depend on: the hash of the model. Part of the key of everything that was ranked with it.
    fn key(&self) -> &str;

    /// The vector of a question; `None` if it has none, and then words alone decide.
    fn query(&self, text: &str) -> Option<Vector>;

    /// The vector of a passage; `None` if it has none, and then words alone decide on that passage.
    fn passage(&self, text: &str) -> Option<Vector>;

    /// The vectors of several passages, in order, as [`Self::passage`] gives them: a server is asked for all of them at once.
    fn passages(&self, texts: &[&str]) -> Vec<Option<Vector>> {
        texts.iter().map(|text| self.passage(text)).collect()
    }

    /// How many passages are asked for at once where somebody may end the work in between.
    fn at_once(&self) -> usize {
        1
    }

    /// Is told that words alone decided on some passages of a text, because only so many may get a vector.
    fn left_some_to_words(&self) {}
}

/// A source of vectors, and how many passages of one text may get one.
#[derive(Debug, Clone, Copy)]
pub struct Sense<'a> {
    /// Gives the vectors.
    pub meaning: &'a dyn Meaning,
    /// Most passages of one text that get a vector: the best by words. A count, never a time, so that the result does not depend on the
    /// machine.
    pub passages: usize,
}
