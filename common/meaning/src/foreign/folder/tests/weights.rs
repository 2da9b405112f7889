use proptest::prelude::*;
use serde_json::{Value, json};

use super::{NOTHING, refusal};
use crate::foreign::folder::toy_folder::{Numbers, ToyFolder, of_parts};
use crate::foreign::folder::{FolderFiles, MAX_HEADER_BYTES, from_folder, weights_are_whole};

#[test]
fn tensors_that_do_not_fit_are_named() {
    let query = "encoder.layer.1.attention.self.query.weight";
    let mut missing = ToyFolder::new();
    missing.tensors.remove(query);
    let mut turned = ToyFolder::new();
    turned.tensors.insert(query.into(), (vec![32, 128], vec![0.0; 4096]));
    let mut no_number = ToyFolder::new();
    no_number.tensors.get_mut(query).expect("there").1[77] = f32::NAN;
    let mut endless = ToyFolder::new();
    endless.tensors.get_mut(query).expect("there").1[77] = f32::INFINITY;
    for (folder, reason) in
        [(missing, "is missing"), (turned, "has the shape [32, 128]"), (no_number, "finite"), (endless, "finite")]
    {
        let refusal = refusal(&folder);
        assert!(refusal.contains(query) && refusal.contains(reason), "{refusal}");
    }
}

#[test]
fn tensors_that_would_make_other_vectors_are_named() {
    for name in [
        "encoder.layer.0.attention.self.distance_embedding.weight",
        "encoder.layer.2.output.dense.weight",
        "encoder.layer.0.output.dense.lora_A.weight",
        "encoder.relative_attention_bias.weight",
    ] {
        let mut folder = ToyFolder::new();
        folder.tensors.insert(name.into(), (vec![1], vec![1.0]));
        assert_eq!(
            refusal(&folder),
            format!("model.safetensors asks for the tensor {name}, which this program does not do")
        );
    }
}

#[test]
fn every_place_of_a_tensor_is_compared_with_the_file() {
    let entry = |shape: Value, places: Value| json!({"a": {"dtype": "F32", "shape": shape, "data_offsets": places}});
    let fine = |header: &Value, bytes: usize| weights_are_whole(&of_parts(header, &vec![0; bytes])).is_ok();
    assert!(fine(&entry(json!([2, 3]), json!([0, 24])), 24));
    for (shape, places, bytes) in [
        (json!([2, 3]), json!([0, 24]), 23),
        (json!([2, 3]), json!([0, 24]), 25),
        (json!([2, 3]), json!([0, 20]), 24),
        (json!([2, 3]), json!([4, 28]), 28),
        (json!([2, 3]), json!([24, 0]), 24),
        (json!([u64::MAX, 4]), json!([0, 24]), 24),
        (json!([2, 3]), json!([0, u64::MAX]), 24),
    ] {
        assert!(!fine(&entry(shape.clone(), places.clone()), bytes), "{shape} {places} {bytes}");
    }
    let two = |second: [u64; 2]| {
        let one = json!({"dtype": "F32", "shape": [1], "data_offsets": [0, 4]});
        json!({"a": one, "b": {"dtype": "F16", "shape": [2], "data_offsets": second}})
    };
    assert!(fine(&two([4, 8]), 8));
    assert!(!fine(&two([0, 4]), 4), "two lie in one place");
    assert!(!fine(&json!({"a": {"dtype": "F4", "shape": [2], "data_offsets": [0, 1]}}), 1));
    assert!(weights_are_whole(&[1, 0, 0]).is_err());
}

#[test]
fn a_header_has_at_most_its_limit() {
    for (length, is_within) in [(MAX_HEADER_BYTES - 1, true), (MAX_HEADER_BYTES, true), (MAX_HEADER_BYTES + 1, false)] {
        let header = format!("{{}}{}", " ".repeat(length - 2));
        let file = [&(length as u64).to_le_bytes(), header.as_bytes()].concat();
        assert_eq!(weights_are_whole(&file).is_ok(), is_within, "{length}");
    }
    assert!(weights_are_whole(&u64::MAX.to_le_bytes()).is_err());
}

#[test]
fn numbers_of_sixteen_bits_are_read_as_they_are() {
    let folder = ToyFolder::new();
    let table = |numbers| folder.with_files(numbers, |files| from_folder(files, NOTHING)).expect("read").encoder.places;
    let exact = table(Numbers::F32);
    for (numbers, most) in [(Numbers::F16, 1.0 / 1024.0), (Numbers::BF16, 1.0 / 128.0)] {
        let read = table(numbers);
        assert!(exact.iter().zip(&read).all(|(a, b)| (a - b).abs() <= 2.0 * most), "{numbers:?}");
        assert_ne!(exact, read, "{numbers:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn weights_with_another_header_are_read_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let folder = ToyFolder::new();
        let mut file = folder.weights(Numbers::F16);
        let header = 8 + u64::from_le_bytes(file[..8].try_into().expect("eight")) as usize;
        for (at, byte) in changes {
            file[at.index(header)] = byte;
        }
        folder.with_files(Numbers::F32, |files| {
            let _ = from_folder(&FolderFiles { weights: &file, ..*files }, NOTHING);
        });
    }
}
