//! What research sessions ask, and the pages where it stands: each session has people and places of its own, so that no two sessions
//! share a search or a model call; the same number is always the same story.

use precis_proto::SessionId;
use precis_proto::request::{RequestOptions, ResearchRequest};
use precis_proto::research::ResearchOptions;

use super::requests;
use crate::search::Page;

/// Names in each list.
const NAMES: usize = 16;
/// How many stories there are.
pub const STORIES: usize = NAMES * NAMES;

/// Names of one kind, between spaces.
fn named(names: &'static str, at: usize) -> &'static str {
    names.split(' ').nth(at % NAMES).unwrap_or_default()
}

const COLOURS: &str =
    "Amber Blue Crimson Golden Ivory Scarlet Silver Violet Copper Emerald Hazel Indigo Olive Purple Russet Turquoise";
const FILMS: &str = "Comet Garden Harbour Lantern Meadow Orchard Tower Winter Bridge Candle Desert Feather Mirror Pilgrim Station Whistle";
const FIRST_NAMES: &str = "Ada Bruno Clara Dmitri Elsa Franz Greta Hugo Ida Jonas Karla Ludwig Marta Nils Olga Peter";
const LAST_NAMES: &str =
    "Abend Birke Conrad Dorn Ebert Falke Grau Holm Immel Jansen Kolb Lorenz Moser Nagel Opitz Pfeil";
const BEGINNINGS: &str = "Alt Bres Cor Del Est Fen Gal Hel Ister Jor Kel Lam Mor Nord Ost Pen";
const ENDINGS: &str = "berg brook dale feld ford mouth stead wick bach burn castle haven minster port stone worth";

/// A film, who directed it, and a town with its ferry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// The film.
    pub film: String,
    /// Who directed it.
    pub director: String,
    /// Where the ferry crossed.
    pub town: String,
    /// Who owned the ferry.
    pub owner: String,
}

impl Story {
    /// Story `number` of [`STORIES`].
    #[must_use]
    pub fn new(number: usize) -> Self {
        let (one, other) = (number / NAMES, number);
        Self {
            film: format!("{} {}", named(COLOURS, one), named(FILMS, other)),
            director: format!("{} {}", named(FIRST_NAMES, one), named(LAST_NAMES, other)),
            town: format!("{}{}", named(BEGINNINGS, one), named(ENDINGS, other)),
            owner: format!("{} {}", named(FIRST_NAMES, other), named(LAST_NAMES, one + 1)),
        }
    }

    /// What is asked.
    #[must_use]
    pub fn question(&self) -> String {
        format!("Where was the director of {} born, and who owned the ferry of {}?", self.film, self.town)
    }

    /// The story whose question `text` holds.
    #[must_use]
    pub fn asked_in(text: &str) -> Option<Self> {
        (0..STORIES).map(Self::new).find(|story| text.contains(&story.question()))
    }

    /// Its pages, as path, title and text.
    fn texts(&self) -> [(String, String, String); 4] {
        let Self { film, director, town, owner } = self;
        let path = |name: &str| name.to_lowercase().replace(' ', "-");
        let ferry = format!("Ferry of {town}");
        let boats = format!("Boats of {owner}");
        [
            (path(film), film.clone(), format!("{film} is a drama film of 1950 that was directed by {director}.")),
            // Whoever does not know the name finds no word of the question here.
            (path(director), director.clone(), format!("{director} came from the coast and worked in the theatre.")),
            (
                path(&ferry),
                ferry.clone(),
                format!("The ferry of {town} crossed the river until 1932. It was owned by {owner}."),
            ),
            (
                path(&boats),
                boats.clone(),
                format!("The ferry of {town} carried 40 carts a day, and the boats of {owner} were built of oak."),
            ),
        ]
    }

    /// Its pages as they are fetched: path and HTML.
    #[must_use]
    pub fn html(&self) -> Vec<(String, String)> {
        let page = |title: &str, text: &str| {
            format!(
                "<html lang=en><head><title>{title}</title></head><body><main><h1>{title}</h1><p>{text}</p></main></body></html>"
            )
        };
        self.texts().iter().map(|(path, title, text)| (path.clone(), page(title, text))).collect()
    }

    /// Its pages as they are found, at the addresses that `url` gives their paths.
    #[must_use]
    pub fn pages(&self, url: impl Fn(&str) -> String) -> Vec<Page> {
        self.texts().iter().map(|(path, title, text)| Page::new(&url(path), title, text)).collect()
    }
}

/// How far a session may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Two rounds, and a third one where they leave something open.
    Rounds,
    /// One round, and a further iteration for what its report lacks.
    Iteration,
}

/// The request of session `number`: research with `provider` alone, without a source of its own.
///
/// # Panics
/// Never: its ids are well formed.
#[must_use]
pub fn request(number: usize, provider: &str, reach: Reach) -> ResearchRequest {
    let (sources, rounds, refinements) = match reach {
        Reach::Rounds => (Some(4), 3, 0),
        // An iteration reads more where nobody has said how much is enough; one of the two rounds is kept for it.
        Reach::Iteration => (None, 2, 1),
    };
    let research = ResearchOptions {
        web: vec![provider.to_owned()],
        max_sources: sources,
        max_rounds: Some(rounds),
        max_refinements: Some(refinements),
        ..ResearchOptions::default()
    };
    ResearchRequest {
        schema_version: 3,
        session_id: SessionId::new(requests::name(number)).expect("an id"),
        query: Story::new(number).question(),
        sources: Vec::new(),
        options: RequestOptions { research: Some(research), ..RequestOptions::default() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_story_has_its_own_names_and_is_identified_by_its_question() {
        for number in 0..STORIES {
            assert_eq!(Story::asked_in(&format!("Q: {}", Story::new(number).question())), Some(Story::new(number)));
        }
        let names = |of: fn(&Story) -> String| {
            (0..STORIES).map(|n| of(&Story::new(n))).collect::<std::collections::BTreeSet<_>>().len()
        };
        assert_eq!(names(|s| s.film.clone()), STORIES);
        assert_eq!(names(|s| s.director.clone()), STORIES);
        assert_eq!(names(|s| s.town.clone()), STORIES);
        assert_eq!(names(|s| s.owner.clone()), STORIES);
    }
}
