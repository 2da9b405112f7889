//! The numbers that researchers of a lane know documents by: what they are told of earlier rounds, and what a round settles.

use std::collections::BTreeMap;

use bytes::Bytes;
use precis_distill::research::{number_block, rewritten, settle_numbers};
use precis_proto::research::{AssignmentResult, Lane, NumberBlock, SeenDocument};
use precis_runtime::content::{ContentError, ContentStore};
use precis_runtime::runner::PhaseError;

use super::lane_courses::LaneCourse;

/// What a lane knows by number before a round.
#[derive(Clone)]
pub(super) struct LaneNumbers {
    /// Which lane it is, from 0, and how many there are.
    place: (usize, usize),
    /// The highest number that was given.
    highest: u32,
    known: BTreeMap<String, u32>,
    /// What was found, for those who go on.
    pub(super) seen: Vec<SeenDocument>,
}

impl LaneNumbers {
    /// Of the lane at place `at`. Public lanes know what all of them found; what is private is known to its own lane alone.
    pub(super) fn of(courses: &[LaneCourse], at: usize) -> Self {
        let is_public = courses[at].lane.is_public();
        let group: Vec<&LaneCourse> = courses.iter().filter(|other| other.lane.is_public() == is_public).collect();
        let mut known: BTreeMap<String, u32> = BTreeMap::new();
        let mut seen: Vec<SeenDocument> = Vec::new();
        for one in &group {
            for (document, number) in one.course.numbers().0 {
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

    /// The numbers that directive `n` of `directives` may give.
    pub(super) fn block(&self, n: usize, directives: usize) -> NumberBlock {
        number_block(self.place, self.highest, (n, directives))
    }
}

/// Which lane the one at `at` is for its numbers, from 0, and how many lanes share them. A place is kept for folders beside web lanes
/// whether or not there are any: numbers stand in the prompts that queries come from, and must not tell.
fn place_of(lanes: &[Lane], at: usize) -> (usize, usize) {
    let web = lanes.iter().filter(|lane| lane.is_public()).count();
    let before = lanes[..at].iter().filter(|lane| lane.is_public()).count();
    match (lanes[at].is_public(), web) {
        (true, _) => (before, web + 1),
        (false, 0) => (0, 1),
        (false, _) => (web, web + 1),
    }
}

/// The numbers that the lanes of a round have settled on so far: those that are private, and those that are public.
#[derive(Default)]
pub(super) struct SettledNumbers {
    private: BTreeMap<String, u32>,
    public: BTreeMap<String, u32>,
}

impl SettledNumbers {
    /// Gives each document of a lane's results one number, and writes notes anew that used another.
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
        for other in settle_numbers(settled, &blocks, gathered) {
            let result = &mut gathered[other.place];
            let Some(notes) = &result.raw_notes else { continue };
            let bytes = content.get(notes).await.map_err(unkept)?;
            let text = rewritten(&String::from_utf8_lossy(&bytes), &other.numbers);
            result.raw_notes_chars = text.chars().count() as u32;
            result.raw_notes = Some(content.put(Bytes::from(text)).await.map_err(unkept)?);
        }
        settled.extend(gathered.iter().flat_map(|one| one.numbers.clone()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use Lane::{Academic, Local, Web};

    use super::*;

    #[test]
    fn the_place_of_a_web_lane_does_not_depend_on_folders_and_no_two_lanes_share_one() {
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
