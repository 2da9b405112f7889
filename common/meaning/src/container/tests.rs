use proptest::prelude::*;

use super::*;
use crate::encoder::{BLOCK_BYTES, HALVES_IN_BLOCK, Table};
use crate::limits::MAX_LABEL_BYTES;
use crate::limits::{MAX_HIDDEN, MAX_LAYERS, MAX_VOCABULARY};
use crate::toy;

#[test]
fn what_is_written_is_read() {
    let parts = toy::parts();
    assert_eq!(read(&write(&parts).expect("valid")), Ok(parts));
}

#[test]
fn the_start_of_a_file_says_which_model_it_is() {
    let mut parts = toy::parts();
    let Description { name, licence, query_prefix, passage_prefix } = &mut parts.description;
    for label in [name, licence, query_prefix, passage_prefix] {
        *label = "x".repeat(MAX_LABEL_BYTES);
    }
    let file = write(&parts).expect("valid");
    assert_eq!(describe(&file[..DESCRIPTION_BYTES]), Ok(parts.description));
    assert_eq!(describe(&file[..DESCRIPTION_BYTES - 1]), Err(ContainerError::Short("prefix")));
}

#[test]
fn a_table_of_halves_is_read_as_well() {
    let mut parts = toy::parts();
    let blocks = parts.encoder.shape.vocabulary * parts.encoder.shape.hidden / HALVES_IN_BLOCK;
    parts.encoder.table = Table::Halves(vec![0x11; blocks * BLOCK_BYTES]);
    assert_eq!(read(&write(&parts).expect("valid")), Ok(parts));
}

#[test]
fn every_shorter_file_and_every_longer_one_is_refused() {
    let whole = write(&toy::parts()).expect("valid");
    for length in (0..whole.len()).step_by(97).chain(whole.len() - 8..whole.len()) {
        assert!(read(&whole[..length]).is_err(), "{length}");
    }
    let mut longer = whole;
    longer.push(0);
    assert_eq!(read(&longer), Err(ContainerError::Long));
}

/// Where the shape begins: after the magic and four labels.
fn shape_at(file: &[u8]) -> usize {
    (0..4).fold(MAGIC.len(), |at, _| {
        let count: [u8; 4] = file[at..at + 4].try_into().expect("four");
        at + 4 + u32::from_le_bytes(count) as usize
    })
}

#[test]
fn counts_have_their_limits() {
    let whole = write(&toy::parts()).expect("valid");
    let shape = shape_at(&whole);
    for (place, part, most) in
        [(0, "width", MAX_HIDDEN), (1, "number of layers", MAX_LAYERS), (5, "vocabulary", MAX_VOCABULARY)]
    {
        for (found, is_within) in [(most - 1, true), (most, true), (most + 1, false)] {
            let mut file = whole.clone();
            file[shape + place * 4..][..4].copy_from_slice(&(found as u32).to_le_bytes());
            let refused = ContainerError::TooLarge { part, found: found as u64, most: most as u64 };
            let answer = read(&file).expect_err("not the file's own number");
            assert_eq!(answer != refused, is_within, "{part} {found}: {answer}");
        }
    }
}

#[test]
fn fractions_that_are_no_numbers_are_refused() {
    let whole = write(&toy::parts()).expect("valid");
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut file = whole.clone();
        let at = file.len() - 4;
        file[at..].copy_from_slice(&value.to_le_bytes());
        assert_eq!(read(&file), Err(ContainerError::NotFinite("layers")));
    }
    let mut parts = toy::parts();
    let blocks = parts.encoder.shape.vocabulary * parts.encoder.shape.hidden / HALVES_IN_BLOCK;
    let mut table = vec![0x11; blocks * BLOCK_BYTES];
    table[BLOCK_BYTES..][..2].copy_from_slice(&0x7C00_u16.to_le_bytes());
    parts.encoder.table = Table::Halves(table);
    assert_eq!(write(&parts), Err(ContainerError::NotFinite("table")));
}

#[test]
fn parts_that_do_not_fit_together_are_not_written() {
    let mut heads = toy::parts();
    heads.encoder.shape.heads = 3;
    let mut labels = toy::parts();
    labels.description.name = "two\nlines".into();
    let mut rows = toy::parts();
    rows.encoder.layers.pop();
    let mut first = toy::parts();
    first.encoder.shape.layers = 0;
    for (parts, error) in [
        (heads, ContainerError::Invalid("number of heads")),
        (labels, ContainerError::Invalid("name")),
        (rows, ContainerError::Short("layers")),
        (first, ContainerError::Invalid("number of layers")),
    ] {
        assert_eq!(write(&parts), Err(error));
    }
}

#[test]
fn a_label_has_at_most_its_limit() {
    for (length, is_fine) in [(MAX_LABEL_BYTES - 1, true), (MAX_LABEL_BYTES, true), (MAX_LABEL_BYTES + 1, false)] {
        let mut parts = toy::parts();
        parts.description.licence = "x".repeat(length);
        assert_eq!(write(&parts).is_ok(), is_fine, "{length}");
    }
}

proptest! {
    #[test]
    fn a_file_with_other_bytes_is_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut file = write(&toy::parts()).expect("valid");
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        if let Ok(model) = crate::Model::read(&file) {
            // It may give no number; it does not fail otherwise.
            let _ = model.passage("ab ba ξ");
        }
    }
}
