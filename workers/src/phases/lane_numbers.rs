//! The numbers under which the researchers of a lane know documents: those of earlier rounds, and those a round settles.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures_util::future::try_join_all;
use precis_proto::research::{AssignmentResult, Lane, NumberBlock, SeenDocument};
use precis_proto::source::ContentRef;
use precis_research::{number_block, rewritten, settle_numbers};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::PhaseError;

use super::lane_courses::LaneCourse;

/// The document numbers of a lane before a round.
#[derive(Clone)]
pub(super) struct LaneNumbers {
    /// Index of the lane, from 0, and the number of lanes.
    place: (usize, usize),
    /// The highest number given so far.
    highest: u32,
    known: BTreeMap<String, u32>,
    /// The documents found so far, for the next researchers.
    pub(super) seen: Vec<SeenDocument>,
}

impl LaneNumbers {
    /// Collects the numbers for the lane at index `at`. Public lanes share their documents, and private lanes theirs; public lanes never
    /// see private documents.
    pub(super) fn of(courses: &[LaneCourse], at: usize) -> Self {
        let is_public = courses[at].lane.is_public();
        let group: Vec<&LaneCourse> = courses.iter().filter(|other| other.lane.is_public() == is_public).collect();
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        let mut seen: Vec<SeenDocument> = Vec::new();
        for one in &group {
            for (document, number) in one.course.numbers().0 {
                // If lanes numbered a document differently, the first lane decides, so that every worker chooses alike.
                known.entry(document.clone()).or_insert(*number);
            }
        }
        for mut document in group.iter().flat_map(|one| one.course.seen_documents()) {
            document.number = known.get(&document.document).copied().unwrap_or(document.number);
            match seen.iter_mut().find(|other| other.document == document.document) {
                Some(other) => other.passages.append(&mut document.passages),
                None => seen.push(document),
            }
        }
        let highest = group.iter().map(|one| one.course.numbers().1).max().unwrap_or(0);
        let lanes: Vec<Lane> = courses.iter().map(|one| one.lane).collect();
        Self { place: place_of(&lanes, at), highest, known, seen }
    }

    /// Returns the numbers that directive `n` of `directives` may assign.
    pub(super) fn block(&self, n: usize, directives: usize) -> NumberBlock {
        number_block(self.place, self.highest, (n, directives))
    }
}

/// The place of the lane at `at` among the lanes that share the numbers, from 0, and how many lanes share them. A place is reserved for
/// folders next to web lanes whether or not there are any: numbers are part of the prompts that queries come from, and must not reveal it.
fn place_of(lanes: &[Lane], at: usize) -> (usize, usize) {
    let web = lanes.iter().filter(|lane| lane.is_public()).count();
    let before = lanes[..at].iter().filter(|lane| lane.is_public()).count();
    match (lanes[at].is_public(), web) {
        (true, _) => (before, web + 1),
        (false, 0) => (0, 1),
        (false, _) => (web, web + 1),
    }
}

/// The numbers settled in a round so far, separately for private and public lanes.
#[derive(Default)]
pub(super) struct SettledNumbers {
    private: BTreeMap<String, u32>,
    public: BTreeMap<String, u32>,
}

impl SettledNumbers {
    /// Gives each document of a lane's results one number, and rewrites notes that used a different one.
    pub(super) async fn settle(
        &mut self,
        lane: Lane,
        numbers: &LaneNumbers,
        gathered: &mut [AssignmentResult],
        content: &ContentStore,
    ) -> Result<(), PhaseError> {
        let unkept = |e: ContentError| PhaseError::transient("content_unavailable", e.to_string());
        let settled = if lane.is_public() { &mut self.public } else { &mut self.private };
        for (document, number) in &numbers.known {
            settled.entry(document.clone()).or_insert(*number);
        }
        let blocks: Vec<NumberBlock> = (0..gathered.len()).map(|n| numbers.block(n, gathered.len())).collect();
        let others = settle_numbers(settled, &blocks, gathered);
        let notes = others
            .iter()
            .map(|other| renumber_notes(gathered[other.place].raw_notes.as_ref(), &other.numbers, content));
        // At once: each waits for the disk of the content store.
        let notes = try_join_all(notes).await;
        for (other, notes) in others.iter().zip(notes.map_err(unkept)?) {
            let Some((reference, chars)) = notes else { continue };
            let result = &mut gathered[other.place];
            (result.raw_notes, result.raw_notes_chars) = (Some(reference), chars);
        }
        settled.extend(gathered.iter().flat_map(|one| one.numbers.clone()));
        Ok(())
    }
}

/// Stores `notes` with other document numbers; returns their reference and length in characters. `None` if there are no notes.
async fn renumber_notes(
    notes: Option<&ContentRef>,
    numbers: &BTreeMap<u32, u32>,
    content: &ContentStore,
) -> Result<Option<(ContentRef, u32)>, ContentError> {
    let Some(notes) = notes else { return Ok(None) };
    let bytes = content.get(notes).await?;
    let text = rewritten(&String::from_utf8_lossy(&bytes), numbers);
    let chars = text.chars().count() as u32;
    Ok(Some((content.put(Bytes::from(text)).await?, chars)))
}

#[cfg(test)]
mod tests {
    use Lane::{Academic, Local, Web};

    use super::*;

    #[test]
    fn web_lane_places_are_unique_and_independent_of_folders() {
        for (lanes, want) in [
            (&[Local][..], &[(0, 1)][..]),
            (&[Web], &[(0, 2)]),
            (&[Local, Web], &[(1, 2), (0, 2)]),
            (&[Web, Academic], &[(0, 3), (1, 3)]),
            (&[Local, Web, Academic], &[(2, 3), (0, 3), (1, 3)]),
        ] {
            let found: Vec<(usize, usize)> = (0..lanes.len()).map(|at| place_of(lanes, at)).collect();
            assert_eq!(found, want, "{lanes:?}");
        }
    }
}
