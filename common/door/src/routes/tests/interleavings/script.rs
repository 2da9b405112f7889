//! What happens, in which order: chosen by a seed.

/// Keys that callers submit under.
pub(super) const KEYS: usize = 2;
/// Readers, each of one session.
pub(super) const READERS: usize = 3;
/// Steps of a script before everything is let end.
const STEPS: usize = 40;

/// One thing that happens. Doors are numbers, of which a fleet takes the remainder by the number of its doors.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A caller submits under a key.
    Create { key: usize, door: usize },
    /// Two callers submit under a key at the same time.
    CreateTwice { key: usize, doors: [usize; 2] },
    /// A reader connects, where it left off.
    Connect { reader: usize, door: usize },
    /// A reader reads all that there is; its connection is cut `cut` bytes before the end of that, if it is cut.
    Read { reader: usize, cut: Option<usize> },
    /// A caller cancels the session of a key.
    Cancel { key: usize, door: usize },
    /// A worker goes on with the session of a key, and one door hears of it.
    Work { key: usize, door: usize },
    /// The log of the session of a key is lost.
    Lose { key: usize },
}

/// Numbers that follow from a seed (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).expect("below a usize")
    }
}

/// The steps of a seed.
pub(super) fn steps(seed: u64) -> Vec<Step> {
    let mut dice = Dice(seed);
    (0..STEPS).map(|_| step(&mut dice)).collect()
}

fn step(dice: &mut Dice) -> Step {
    let (key, reader, door) = (dice.below(KEYS), dice.below(READERS), dice.below(3));
    match dice.below(20) {
        0..2 => Step::Create { key, door },
        2..4 => Step::CreateTwice { key, doors: [door, dice.below(3)] },
        4..8 => Step::Connect { reader, door },
        8..10 => Step::Read { reader, cut: None },
        10..13 => Step::Read { reader, cut: Some(dice.below(400)) },
        13 => Step::Cancel { key, door },
        14 => Step::Lose { key },
        _ => Step::Work { key, door },
    }
}
