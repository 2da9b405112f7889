//! The program is linked so that the table of addresses its calls go through is read-only before it runs.

#![cfg(all(target_os = "linux", target_pointer_width = "64", target_endian = "little"))]

/// Types of program headers.
const DYNAMIC: u64 = 2;
const READ_ONLY_AFTER_RELOCATION: u64 = 0x6474_e552;
/// Tags of the dynamic section that say that all addresses are resolved at the start, each with the bits that say so.
const BINDS_NOW: [(u64, u64); 2] = [(30, 8), (0x6fff_fffb, 1)];

/// A number of `bytes` bytes at `at`, little endian.
fn number(elf: &[u8], at: usize, bytes: usize) -> u64 {
    elf[at..at + bytes].iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Type, offset and length of each program header.
fn headers(elf: &[u8]) -> Vec<(u64, usize, usize)> {
    let (first, size, count) = (number(elf, 32, 8) as usize, number(elf, 54, 2) as usize, number(elf, 56, 2) as usize);
    let header = |n: usize| {
        let at = first + n * size;
        (number(elf, at, 4), number(elf, at + 8, 8) as usize, number(elf, at + 32, 8) as usize)
    };
    (0..count).map(header).collect()
}

#[test]
fn addresses_are_resolved_at_the_start_and_read_only_after_it() {
    let elf = std::fs::read(precis_tests::program::path()).expect("the program is there");
    assert_eq!(elf[..4], *b"\x7fELF");
    let headers = headers(&elf);
    let (_, offset, length) = *headers.iter().find(|(kind, ..)| *kind == DYNAMIC).expect("a dynamic section");
    let entries = (offset..offset + length).step_by(16).map(|at| (number(&elf, at, 8), number(&elf, at + 8, 8)));
    let binds_now = |(tag, value): (u64, u64)| BINDS_NOW.iter().any(|(known, bit)| tag == *known && value & bit != 0);
    assert!(entries.into_iter().any(binds_now), "addresses are resolved when they are first used");
    assert!(headers.iter().any(|(kind, ..)| *kind == READ_ONLY_AFTER_RELOCATION), "the table stays writable");
}
