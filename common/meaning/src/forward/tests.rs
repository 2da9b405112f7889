use proptest::prelude::*;

use crate::kernel::Kernel;
use crate::model::{Model, VectorError};
use crate::{encoder, toy};

fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn a_vector_has_unit_length_and_depends_on_text_and_use() {
    let model = Model::new(toy::parts());
    let (a, b, asked) = (model.passage("ab cd"), model.passage("be be"), model.query("ab cd"));
    let [a, b, asked] = [a, b, asked].map(|vector| vector.expect("numbers"));
    assert!((a.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
    assert_ne!(bits(&a), bits(&b));
    assert_ne!(bits(&a), bits(&asked));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn every_kernel_gives_the_same_bits(text in "[abcdeé \t]{0,40}") {
        let plain = bits(&Model::new(toy::parts()).with_kernel(Kernel::SCALAR).passage(&text).expect("numbers"));
        for kernel in Kernel::all() {
            let other = Model::new(toy::parts()).with_kernel(kernel).passage(&text).expect("numbers");
            prop_assert_eq!(&bits(&other), &plain, "{}", kernel.name());
        }
    }
}

#[test]
fn one_thread_and_many_give_the_same_bits() {
    let model = Model::new(toy::parts());
    let texts: Vec<String> = (0..24).map(|at| "abcde é"[at % 4..].repeat(at % 5 + 1)).collect();
    let alone: Vec<_> = texts.iter().map(|text| bits(&model.passage(text).expect("numbers"))).collect();
    let together = std::thread::scope(|scope| {
        let workers: Vec<_> =
            texts.iter().map(|text| scope.spawn(|| bits(&model.passage(text).expect("numbers")))).collect();
        workers.into_iter().map(|worker| worker.join().expect("ends")).collect::<Vec<_>>()
    });
    assert_eq!(alone, together);
}

#[test]
fn the_bits_of_the_toy_are_these_on_every_machine() {
    let vector = Model::new(toy::parts()).passage("ab cd be é").expect("numbers");
    assert_eq!(bits(&vector[..4]), KNOWN);
}

/// Of the plain kernel, compiled without wide instructions.
const KNOWN: [u32; 4] = [1_029_637_560, 3_189_903_210, 1_015_045_378, 1_026_954_568];

#[test]
fn a_text_is_read_up_to_the_places_there_are() {
    let model = Model::new(toy::parts());
    let places = toy::parts().encoder.shape.positions;
    // Two tokens around the text, four of the prefix: each letter is one token.
    for (letters, tokens) in [(9, 15), (10, 16), (11, 16)] {
        assert_eq!(model.tokens(&format!("b: {}", "e".repeat(letters))).len(), tokens, "{letters}");
    }
    assert_eq!(places, 16);
    assert_eq!(model.passage(&"e".repeat(11)), model.passage(&"e".repeat(90_000)));
}

#[test]
fn a_model_that_gives_no_numbers_gives_no_vector() {
    let mut parts = toy::parts();
    for layer in &mut parts.encoder.layers {
        layer.narrow.scales.fill(f32::MAX);
        layer.narrow_norm.gain.fill(f32::MAX);
    }
    assert_eq!(Model::new(parts).passage("ab"), Err(VectorError::NoNumber));
    let mut first = toy::parts();
    first.encoder.shape.pooling = encoder::Pooling::First;
    assert!(Model::new(first).passage("ab").is_ok());
}
