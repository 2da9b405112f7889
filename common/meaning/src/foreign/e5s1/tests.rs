use proptest::prelude::*;

use super::*;
use crate::model::Model;
use crate::{container, toy};

/// A file of the toy's tokenizer and shape, with blocks that count up.
fn file() -> Vec<u8> {
    let toy = toy::parts();
    let (shape, Tokenizer::Unigram(unigram)) = (toy.encoder.shape, &toy.tokenizer) else { panic!("of this kind") };
    let mut file = E5S1_MAGIC.to_vec();
    let number = |file: &mut Vec<u8>, number: usize| file.extend((number as u32).to_le_bytes());
    for value in [1, shape.hidden, shape.layers, shape.heads, shape.inner, shape.vocabulary, shape.positions, 2] {
        number(&mut file, value);
    }
    file.extend(shape.epsilon.to_le_bytes());
    number(&mut file, HALVES_IN_BLOCK);
    let special = unigram.special();
    for value in [unigram.pieces().count(), special.begin as usize, special.end as usize, 0, special.unknown as usize] {
        number(&mut file, value);
    }
    file.extend((unigram.pieces().bytes().len() as u64).to_le_bytes());
    number(&mut file, 0);
    unigram.pieces().ends().iter().for_each(|end| number(&mut file, *end as usize));
    unigram.scores().iter().for_each(|score| file.extend(score.to_le_bytes()));
    file.extend(unigram.pieces().bytes());
    // A tabulator is a space; one entry of nine bytes.
    number(&mut file, 1);
    number(&mut file, 9);
    number(&mut file, 0x09);
    file.push(1);
    number(&mut file, 0x20);
    with_tensors(file, &shape)
}

fn with_tensors(mut file: Vec<u8>, shape: &Shape) -> Vec<u8> {
    let (hidden, inner) = (shape.hidden, shape.inner);
    let mut tensors = vec![("emb.word".to_owned(), blocks(shape.vocabulary * hidden))];
    let mut fractions = |name: String, count: usize, from: f32| {
        let values = (0..count).flat_map(|at| (from + at as f32 / 100.0).to_le_bytes()).collect();
        tensors.push((name, values));
    };
    fractions("emb.pos".into(), shape.positions * hidden, -1.0);
    fractions("emb.type".into(), hidden, 5.0);
    for name in ["emb.ln.w", "emb.ln.b"] {
        fractions(name.into(), hidden, 1.0);
    }
    let mut matrices = Vec::new();
    for layer in 0..shape.layers {
        for (name, rows, length) in [
            ("q", hidden, hidden),
            ("k", hidden, hidden),
            ("v", hidden, hidden),
            ("ao", hidden, hidden),
            ("fi", inner, hidden),
            ("fo", hidden, inner),
        ] {
            matrices.push((format!("l{layer}.{name}.w"), blocks(rows * length)));
            fractions(format!("l{layer}.{name}.b"), rows, 0.0);
        }
        for name in ["aln.w", "aln.b", "oln.w", "oln.b"] {
            fractions(format!("l{layer}.{name}"), hidden, 1.0);
        }
    }
    tensors.extend(matrices);
    let entries: usize = tensors.iter().map(|(name, _)| 2 + name.len() + 1 + 4 + 8 + 8).sum();
    let mut offset = file.len() + 4 + entries;
    file.extend((tensors.len() as u32).to_le_bytes());
    for (name, bytes) in &tensors {
        file.extend((name.len() as u16).to_le_bytes());
        file.extend(name.as_bytes());
        file.push(0);
        file.extend(0_u32.to_le_bytes());
        file.extend((offset as u64).to_le_bytes());
        file.extend((bytes.len() as u64).to_le_bytes());
        offset += bytes.len();
    }
    tensors.into_iter().for_each(|(_, bytes)| file.extend(bytes));
    file
}

fn blocks(numbers: usize) -> Vec<u8> {
    let block = |at: usize| {
        let scale = 0x2C00_u16.to_le_bytes();
        scale.into_iter().chain((0..16).map(move |byte| (at * 7 + byte * 37) as u8))
    };
    (0..numbers / HALVES_IN_BLOCK).flat_map(block).collect()
}

#[test]
fn a_file_in_four_bits_becomes_one_of_ours() {
    let parts = from_e5s1(&file(), toy::parts().description).expect("read");
    assert_eq!(parts.encoder.shape, toy::parts().encoder.shape);
    // The first place, and the kind of token that every token has.
    assert_eq!(parts.encoder.places[0], -1.0 + 5.0);
    assert_eq!(parts.encoder.layers[0].asked.scales.len(), 3 * parts.encoder.shape.hidden);
    let model = Model::read(&container::write(&parts).expect("written")).expect("ours");
    assert_eq!(model.tokens("ab\tcd"), Model::new(toy::parts()).tokens("ab cd"));
    assert!(model.passage("ab cd").is_ok());
}

#[test]
fn every_shorter_file_is_refused() {
    let whole = file();
    for length in (0..whole.len()).step_by(61).chain([whole.len() - 1]) {
        assert!(from_e5s1(&whole[..length], Description::default()).is_err(), "{length}");
    }
}

#[test]
fn a_block_whose_scale_is_no_number_is_refused() {
    let mut file = file();
    let last = file.len() - BLOCK_BYTES;
    file[last..last + 2].copy_from_slice(&0x7E00_u16.to_le_bytes());
    assert_eq!(from_e5s1(&file, Description::default()), Err(ContainerError::NotFinite("tensors")));
}

proptest! {
    #[test]
    fn a_file_with_other_bytes_is_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut file = file();
        // Most bytes are weights; what can go wrong stands before them.
        let before = 1_200.min(file.len());
        for (at, byte) in changes {
            file[at.index(before)] = byte;
        }
        let ours = from_e5s1(&file, Description::default()).and_then(|parts| container::write(&parts));
        if let Ok(written) = ours {
            let _ = Model::read(&written).expect("written").passage("ab ba ξ");
        }
    }
}
