//! Numbers in the numerals of other scripts, as lists show them: Greek letters, digits by their place, and Chinese and Japanese numerals.

/// α to ω, without the form of σ at the end of a word (CSS Counter Styles 3, `lower-greek`).
const GREEK: [char; 24] = [
    'α', 'β', 'γ', 'δ', 'ε', 'ζ', 'η', 'θ', 'ι', 'κ', 'λ', 'μ', 'ν', 'ξ', 'ο', 'π', 'ρ', 'σ', 'τ', 'υ', 'φ', 'χ', 'ψ',
    'ω',
];
const CJK: [char; 10] = ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'];
/// What stands behind a digit for its place, from tens.
const CJK_PLACES: [char; 3] = ['十', '百', '千'];
/// Largest number written in Chinese or Japanese numerals, as the styles of CSS say.
const MAX_CJK: i64 = 9_999;

/// α to ω, then αα, αβ; `None` below 1.
pub(super) fn greek(mut number: i64) -> Option<String> {
    let mut letters = Vec::new();
    while number > 0 {
        number -= 1;
        letters.push(GREEK[usize::try_from(number % 24).unwrap_or(0)]);
        number /= 24;
    }
    (!letters.is_empty()).then(|| letters.iter().rev().collect())
}

/// The digits of `number` in a script whose digits follow on `zero`; `None` below 0.
pub(super) fn digits(number: i64, zero: char) -> Option<String> {
    let digit = |c: char| c.to_digit(10).and_then(|value| char::from_u32(u32::from(zero) + value));
    number.to_string().chars().map(digit).collect()
}

/// The digits of `number` as 〇 to 九; `None` below 0.
pub(super) fn cjk_digits(number: i64) -> Option<String> {
    let digit = |c: char| CJK.get(usize::try_from(c.to_digit(10)?).ok()?).copied();
    number.to_string().chars().map(digit).collect()
}

/// The everyday Chinese numeral of `number`: 十一, 一百零二; `None` outside of 0 to 9,999.
pub(super) fn chinese(number: i64) -> Option<String> {
    cjk(number, true)
}

/// The everyday Japanese numeral of `number`: 十一, 百二; `None` outside of 0 to 9,999.
pub(super) fn japanese(number: i64) -> Option<String> {
    cjk(number, false)
}

fn cjk(number: i64, is_chinese: bool) -> Option<String> {
    if !(0..=MAX_CJK).contains(&number) {
        return None;
    }
    let digits: Vec<usize> = number
        .to_string()
        .chars()
        .filter_map(|c| c.to_digit(10))
        .filter_map(|digit| usize::try_from(digit).ok())
        .collect();
    let (mut out, mut has_gap) = (String::new(), false);
    for (at, &digit) in digits.iter().enumerate() {
        let place = digits.len() - 1 - at;
        if digit == 0 {
            has_gap = true;
            continue;
        }
        if is_chinese && has_gap {
            out.push('零');
        }
        has_gap = false;
        // Ten is 十; so are the tens of Chinese numbers below 20, and one hundred and one thousand in Japanese.
        let is_bare = digit == 1 && if is_chinese { place == 1 && at == 0 } else { place > 0 };
        if !is_bare {
            out.push(CJK[digit]);
        }
        out.extend(place.checked_sub(1).and_then(|place| CJK_PLACES.get(place)));
    }
    match out.is_empty() {
        true if is_chinese => Some("零".to_owned()),
        true => Some(CJK[0].to_string()),
        false => Some(out),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numerals_are_those_of_their_script() {
        for (number, want) in [(1, "α"), (17, "ρ"), (18, "σ"), (19, "τ"), (24, "ω"), (25, "αα"), (600, "ωω")] {
            assert_eq!(greek(number).as_deref(), Some(want), "{number}");
        }
        assert_eq!(greek(0), None);
        assert_eq!(digits(120, '٠').as_deref(), Some("١٢٠"));
        assert_eq!(digits(-1, '٠'), None);
        assert_eq!(cjk_digits(105).as_deref(), Some("一〇五"));
        for (number, in_chinese, in_japanese) in [
            (0, "零", "〇"),
            (1, "一", "一"),
            (10, "十", "十"),
            (11, "十一", "十一"),
            (20, "二十", "二十"),
            (102, "一百零二", "百二"),
            (110, "一百一十", "百十"),
            (1_005, "一千零五", "千五"),
            (1_050, "一千零五十", "千五十"),
        ] {
            assert_eq!(
                (chinese(number).as_deref(), japanese(number).as_deref()),
                (Some(in_chinese), Some(in_japanese))
            );
        }
        for (number, is_written) in [(MAX_CJK - 1, true), (MAX_CJK, true), (MAX_CJK + 1, false), (-1, false)] {
            assert_eq!((chinese(number).is_some(), japanese(number).is_some()), (is_written, is_written), "{number}");
        }
    }
}
