//! Dates and times as OpenDocument stores them (ISO 8601), as numbers of days.

/// Days of a time such as `PT36H05M00S`, or of a date and time such as `2026-03-14T12:00:00`, counted as workbooks do; `None` if it is none
/// of them, or before March 1900, from where on workbooks count as the calendar does.
pub(super) fn days(value: &str) -> Option<f64> {
    match value.trim_start_matches('-').strip_prefix("PT") {
        Some(time) => Some(duration(time)? * if value.starts_with('-') { -1.0 } else { 1.0 }),
        None => date(value),
    }
}

/// Days between the last of December 1899 and the first of January 1970.
const EPOCH: i64 = 25_569;
/// The first day that has the same number for workbooks and the calendar.
const FIRST_DAY: i64 = 61;

fn date(value: &str) -> Option<f64> {
    let (date, time) = value.split_once('T').map_or((value, None), |(date, time)| (date, Some(time)));
    let mut parts = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    let is_date = (1900..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    let days = is_date.then(|| civil_days(year, month, day) + EPOCH).filter(|days| *days >= FIRST_DAY)?;
    let mut of_day = 0.0;
    for (part, seconds) in time.unwrap_or_default().trim_end_matches('Z').split(':').zip([3_600.0, 60.0, 1.0]) {
        of_day += if part.is_empty() { 0.0 } else { part.parse::<f64>().ok()? * seconds };
    }
    Some(days as f64 + of_day / 86_400.0)
}

/// Days since the first of January 1970 (the algorithm `days_from_civil` of Howard Hinnant).
fn civil_days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn duration(time: &str) -> Option<f64> {
    let (mut days, mut number) = (0.0, String::new());
    for c in time.chars() {
        let unit = match c {
            'H' => 24.0,
            'M' => 1_440.0,
            'S' => 86_400.0,
            _ => {
                number.push(if c == ',' { '.' } else { c });
                continue;
            }
        };
        days += std::mem::take(&mut number).parse::<f64>().ok()? / unit;
    }
    number.is_empty().then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_times_are_days() {
        for (value, want) in [
            ("2026-03-14", Some(46_095.0)),
            ("2026-03-14T12:00:00", Some(46_095.5)),
            ("1900-03-01", Some(61.0)),
            ("1900-02-28", None),
            ("1899-12-30", None),
            ("PT36H00M00S", Some(1.5)),
            ("-PT12H00M00S", Some(-0.5)),
            ("PT00H01M30,5S", Some(90.5 / 86_400.0)),
            ("PT1X", None),
            ("soon", None),
            ("2026-13-01", None),
        ] {
            assert_eq!(days(value), want, "{value}");
        }
    }
}
