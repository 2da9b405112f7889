//! The formats that workbooks name by number only (ECMA-376, part 1, 18.8.30).

/// The code of the format `id`; `None` if it shows numbers in their shortest form.
pub(in super::super) fn built_in(id: u32) -> Option<&'static str> {
    Some(match id {
        1 => "0",
        2 => "0.00",
        // Formats 5 to 8 and 42, 44 have the currency of the reader, which a workbook does not contain.
        3 | 5 | 6 | 37 | 38 | 41 | 42 => "#,##0",
        4 | 7 | 8 | 39 | 40 | 43 | 44 => "#,##0.00",
        9 => "0%",
        10 => "0.00%",
        11 => "0.00E+00",
        12 => "# ?/?",
        13 => "# ??/??",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 | 32 => "h:mm",
        21 | 33 => "h:mm:ss",
        22 => "m/d/yy h:mm",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mmss.0",
        48 => "##0.0E+0",
        49 => "@",
        // From 27 on the dates of Chinese, Japanese and Korean workbooks.
        14..=16 | 27..=31 | 34..=36 | 50..=58 => "yyyy-mm-dd",
        _ => return None,
    })
}
