//! Links between the documents of a folder.

use precis_proto::block::BlockLink;

use super::*;
use crate::limits::MAX_HIT_LINKS;
use crate::{CorpusHit, LinkedDocument};

/// A document of one paragraph with links.
fn linking(text: &str, links: &[(&str, &str)]) -> ExtractedText {
    let links = links.iter().map(|(text, target)| BlockLink { text: (*text).to_owned(), target: (*target).to_owned() });
    let leaf = Leaf { links: links.collect(), ..Leaf::new(BlockKind::Paragraph, text) };
    let text = CanonicalText::from_leaves(&[Leaf::new(BlockKind::Heading, "Title"), leaf]);
    ExtractedText { text: text.as_str().to_owned(), blocks: text.blocks().to_vec(), ..ExtractedText::default() }
}

/// The hits for `query` in a folder of these documents.
fn hits(documents: &[(&str, ExtractedText)], query: &str) -> Vec<CorpusHit> {
    let root = tempfile::tempdir().expect("a directory");
    let place = IndexPlace::new(root.path(), &root.path().join("docs")).expect("a place");
    let mut update = Update::begin(&place, "x").expect("nobody else writes");
    for (path, text) in documents {
        let stamp = FileStamp { path: (*path).to_owned(), size: 1, mtime_ns: 1 };
        update.read(&stamp, &sha256_hex(path.as_bytes()), "md", text).expect("within limits");
    }
    update.publish().expect("published");
    Corpus::open(&place).expect("published").search(&CorpusQuery::new(query)).expect("searched")
}

#[test]
fn a_hit_has_the_documents_it_links_to_and_how_well_they_match() {
    let found = hits(
        &[
            (
                "on/call.md",
                linking(
                    "A deploy that fails is rolled back here.",
                    &[("rolled back", "../steps#a"), ("here", "gone.md")],
                ),
            ),
            ("steps.md", linking("Ann approves each deploy that was undone.", &[])),
            ("cake.md", linking("Butter and sugar.", &[])),
        ],
        "deploy fails",
    );
    assert_eq!(found.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), ["on/call.md", "steps.md"]);
    let [LinkedDocument { text, path, score }] = &found[0].links[..] else { panic!("{:?}", found[0].links) };
    assert_eq!((text.as_str(), path.as_str()), ("rolled back", "steps.md"));
    assert!(*score > 0.0 && *score < 1.0, "{score}");
    assert!(found[1].links.is_empty());
}

#[test]
fn links_of_a_hit_beyond_the_limit_are_left_out() {
    for (count, want) in
        [(MAX_HIT_LINKS - 1, MAX_HIT_LINKS - 1), (MAX_HIT_LINKS, MAX_HIT_LINKS), (MAX_HIT_LINKS + 1, MAX_HIT_LINKS)]
    {
        let names: Vec<String> = (0..count).map(|n| format!("n{n}")).collect();
        let links: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), name.as_str())).collect();
        let mut documents = vec![("all.md".to_owned(), linking(&format!("Deploys: {}", names.join(" ")), &links))];
        documents.extend(names.iter().map(|name| (format!("{name}.md"), linking(&format!("Text of {name}."), &[]))));
        let documents: Vec<(&str, ExtractedText)> =
            documents.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
        assert_eq!(hits(&documents, "deploys")[0].links.len(), want);
    }
}
