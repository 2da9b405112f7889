//! Compares the counts of hostile texts, a megabyte each, with the reference implementation.
//!
//! Reference: Python tiktoken 0.14.0 with the published vocabularies and patterns; if its regular expression overflows its stack (a
//! million spaces), the same pattern in Python's `regex`, with its pair encoding piece by piece.

use super::Tokenizer;

/// Random letters, the same everywhere.
fn letters(count: usize) -> String {
    let mut seed = 7_u64;
    let mut letter = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + ((seed >> 33) % 26) as u8)
    };
    (0..count).map(|_| letter()).collect()
}

#[test]
fn hostile_text_is_counted_as_by_the_reference() {
    let million = 1_000_000;
    let table = [
        ("spaces", " ".repeat(million), 7_813, 7_813),
        ("one letter", "a".repeat(million), 125_000, 125_000),
        ("random letters", letters(million), 518_394, 540_172),
        ("emoji with joiners", "🧑\u{200d}🚀👩🏽\u{200d}🔬".repeat(45_000), 585_000, 855_000),
        ("combining accents", "e\u{301}a\u{308}\u{323}o\u{302} ".repeat(80_000), 560_001, 800_001),
        ("line breaks", "\r\n \n\t".repeat(200_000), 400_001, 400_001),
        ("digits", "1234567890".repeat(100_000), 333_334, 333_334),
        ("japanese", "予算を超える要求は送られない。".repeat(22_000), 264_000, 352_000),
    ];
    for (name, text, o200k, cl100k) in table {
        let counted = (Tokenizer::O200k.count(&text), Tokenizer::Cl100k.count(&text));
        assert_eq!(counted, (o200k, cl100k), "{name}");
        assert!(Tokenizer::Estimate.count(&text) >= cl100k.max(o200k), "{name}");
    }
}
