//! Base64, as a model writes it that wants to hide a word, and as whoever looks for the word reads it.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `bytes` in Base64 with padding (RFC 4648, section 4).
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    let group = |chunk: &[u8]| {
        let at = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        let digit = move |n: u32| char::from(ALPHABET[(bits >> (18 - 6 * n)) as usize & 63]);
        (0..4).map(digit).enumerate().map(|(n, c)| if n > chunk.len() { '=' } else { c }).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// Shortest run of digits that is taken for Base64.
const RUN: usize = 12;

/// What the runs of Base64 digits in `text` may say, wherever in a text the digits begin.
#[must_use]
pub fn hidden_in(text: &str) -> Vec<Vec<u8>> {
    let digit = |byte: u8| ALPHABET.iter().position(|known| *known == byte);
    let runs = text.as_bytes().split(|byte| digit(*byte).is_none()).filter(|run| run.len() >= RUN);
    let read = |run: &[u8]| -> Vec<u8> {
        let group = |four: &[u8]| {
            let bits = four.iter().fold(0_u32, |bits, byte| bits << 6 | digit(*byte).unwrap_or(0) as u32);
            let bits = bits << (6 * (4 - four.len()));
            [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8]
        };
        run.chunks(4).flat_map(group).collect()
    };
    runs.flat_map(|run| (0..4).map(move |from| read(&run[from..]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        for (text, want) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(text.as_bytes()), want);
        }
    }

    #[test]
    fn a_word_is_read_anywhere_in_hidden_text() {
        for before in ["", "a", "ab", "abc"] {
            for after in ["", "z", "zz"] {
                let text = format!("?q={}&x", base64(format!("{before}reservoir{after}").as_bytes()));
                let found = hidden_in(&text);
                assert!(found.iter().any(|read| String::from_utf8_lossy(read).contains("reservoir")), "{text}");
            }
        }
    }
}
