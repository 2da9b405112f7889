//! Charts (ECMA-376, part 1, chapter 21.2) as tables: a row for each category, a column for each series, from the values saved with them.
//! Series that are plotted over other numbers than those before them are a table of their own.

use std::collections::{BTreeMap, BTreeSet};

use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

use super::markup::{Markup, XmlElement, walk};
use super::number_format::NumberFormat;

/// Most levels of categories read of a series. Chosen: charts have two or three.
const MAX_LEVELS: usize = 8;

/// The leaves of the chart in `part`: its title as a caption, and its tables, which are numbered from 1. Empty if it has no values.
pub(super) fn leaves(part: &[u8]) -> Vec<Leaf> {
    let mut chart = Chart::default();
    walk(part, |event| chart.take(event));
    chart.series.iter_mut().for_each(|series| series.categories.show(chart.is_from_1904));
    chart.leaves()
}

#[derive(Debug, Default)]
struct Chart {
    title: String,
    series: Vec<Series>,
    is_from_1904: bool,
    open: Vec<String>,
    /// The point being read.
    point: usize,
    text: String,
}

#[derive(Debug, Default)]
struct Series {
    name: String,
    categories: Categories,
    /// Whether its categories are numbers over which it is plotted, which are its own.
    is_scattered: bool,
    values: Values,
    /// The sizes of bubbles.
    sizes: Values,
}

/// The categories of the points, as the chart saves them or as it shows them.
#[derive(Debug, Default)]
struct Categories {
    /// The labels of each level, the outer ones last.
    levels: Vec<BTreeMap<usize, String>>,
    /// How they are shown, if they are numbers.
    format: Option<NumberFormat>,
    shown: BTreeMap<usize, String>,
}

impl Categories {
    fn take(&mut self, name: &str, point: usize, text: String) {
        match name {
            "v" if self.levels.len() > MAX_LEVELS => {}
            "v" => {
                if self.levels.is_empty() {
                    self.levels.push(BTreeMap::new());
                }
                if let Some(level) = self.levels.last_mut() {
                    level.insert(point, text);
                }
            }
            "formatCode" => self.format = Some(NumberFormat::read(&text)),
            _ => {}
        }
    }

    /// Begins a level around those before; one more than the limit stands for all further ones, and stays empty.
    fn open_level(&mut self) {
        if self.levels.len() <= MAX_LEVELS {
            self.levels.push(BTreeMap::new());
        }
    }

    /// Sets what is shown, once all labels are known.
    fn show(&mut self, is_from_1904: bool) {
        let points: BTreeSet<usize> = self.levels.iter().flat_map(BTreeMap::keys).copied().collect();
        self.shown = points.into_iter().map(|at| (at, self.shown_at(at, is_from_1904))).collect();
    }

    fn shown_at(&self, at: usize, is_from_1904: bool) -> String {
        let (mut labels, mut begun) = (Vec::new(), 0);
        // An outer label holds for the points behind it, until it or one around it changes.
        for (depth, level) in self.levels.iter().enumerate().rev() {
            let first = if depth == 0 { at } else { begun };
            let Some((since, label)) = level.range(first..=at).next_back() else { continue };
            begun = *since;
            labels.push(match &self.format {
                Some(format) => format_value(label, format, is_from_1904),
                None => label.clone(),
            });
        }
        normalize(&labels.join(" "))
    }
}

/// `value` as a chart shows it in `format`; unchanged if it is no number, or the format shows nothing.
fn format_value(value: &str, format: &NumberFormat, is_from_1904: bool) -> String {
    let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let shown = number.and_then(|number| format.number(number, is_from_1904));
    normalize(&shown.unwrap_or_else(|| value.to_owned()))
}

/// Numbers by their points, and how they are shown.
#[derive(Debug, Default)]
struct Values {
    numbers: BTreeMap<usize, String>,
    format: NumberFormat,
}

impl Values {
    fn take(&mut self, name: &str, point: usize, text: String) {
        match name {
            "v" => drop(self.numbers.insert(point, text)),
            "formatCode" => self.format = NumberFormat::read(&text),
            _ => {}
        }
    }

    /// The number of a point as the chart shows it.
    fn format_point(&self, at: usize, is_from_1904: bool) -> String {
        self.numbers.get(&at).map_or_else(String::new, |value| format_value(value, &self.format, is_from_1904))
    }
}

impl Chart {
    fn take(&mut self, event: Markup<'_>) {
        match event {
            Markup::Open(element) => self.open(&element),
            Markup::Close(name) => {
                // Only elements that are open are closed; what else ends was never begun.
                if let Some(at) = self.open.iter().rposition(|open| *open == name) {
                    if matches!(name.as_str(), "v" | "t" | "formatCode") {
                        self.end_text(&name);
                    }
                    self.open.truncate(at);
                }
            }
            Markup::Text(text) => self.text.push_str(&text),
        }
    }

    fn open(&mut self, element: &XmlElement<'_>) {
        self.text.clear();
        match element.name.as_str() {
            "ser" => self.series.push(Series::default()),
            "date1904" => self.is_from_1904 = !matches!(element.attribute("val").as_deref(), Some("0" | "false")),
            "lvl" => {
                if let Some(series) = self.series.last_mut() {
                    series.categories.open_level();
                }
            }
            "pt" => self.point = element.attribute("idx").and_then(|at| at.parse().ok()).unwrap_or(0),
            _ => {}
        }
        const KEPT: [&str; 16] = [
            "title",
            "plotArea",
            "ser",
            "tx",
            "cat",
            "xVal",
            "val",
            "yVal",
            "bubbleSize",
            "pt",
            "v",
            "t",
            "formatCode",
            "rich",
            "numCache",
            "dLbls",
        ];
        if KEPT.contains(&element.name.as_str()) {
            self.open.push(element.name.clone());
        }
    }

    fn end_text(&mut self, name: &str) {
        let text = std::mem::take(&mut self.text);
        let is_in = |name: &str| self.open.iter().any(|open| open == name);
        if !is_in("plotArea") {
            if is_in("title") && name != "formatCode" {
                self.title.push_str(&text);
            }
            return;
        }
        let is_label = is_in("dLbls") || is_in("title");
        let (is_name, is_x, is_category) = (is_in("tx"), is_in("xVal"), is_in("cat") || is_in("xVal"));
        let (is_value, is_size) = (is_in("val") || is_in("yVal"), is_in("bubbleSize"));
        let Some(series) = self.series.last_mut().filter(|_| !is_label) else { return };
        series.is_scattered |= is_x;
        match (name, is_name, is_category) {
            ("v", true, _) => series.name.push_str(&text),
            (_, false, true) => series.categories.take(name, self.point, text),
            (_, true, _) => {}
            _ if is_value => series.values.take(name, self.point, text),
            _ if is_size => series.sizes.take(name, self.point, text),
            _ => {}
        }
    }

    fn leaves(&self) -> Vec<Leaf> {
        let title = normalize(&self.title);
        let caption = (!title.is_empty()).then(|| Leaf::new(BlockKind::Caption, title));
        let tables = (1..).zip(self.tables()).flat_map(|(number, table)| table.leaves(number, self.is_from_1904));
        caption.into_iter().chain(tables).collect()
    }

    /// Series that go on with the categories of the one before are columns of the same table.
    fn tables(&self) -> Vec<ChartTable<'_>> {
        let mut tables: Vec<ChartTable<'_>> = Vec::new();
        for series in &self.series {
            match tables.last_mut().filter(|table| table.has_place_for(series)) {
                Some(table) => table.take(series),
                None => {
                    let mut table = ChartTable::default();
                    table.take(series);
                    tables.push(table);
                }
            }
        }
        tables
    }
}

impl Series {
    /// Its points with their categories; one may come twice.
    fn points(&self) -> impl Iterator<Item = (usize, &str)> {
        let points = self.values.numbers.keys().chain(self.sizes.numbers.keys()).chain(self.categories.shown.keys());
        points.map(|at| (*at, self.categories.shown.get(at).map_or("", String::as_str)))
    }

    /// Its values at a point, and its sizes if it has any.
    fn format_points(&self, at: usize, is_from_1904: bool) -> impl Iterator<Item = String> {
        let sizes = (!self.sizes.numbers.is_empty()).then(|| self.sizes.format_point(at, is_from_1904));
        std::iter::once(self.values.format_point(at, is_from_1904)).chain(sizes)
    }

    /// The names of its columns.
    fn names(&self) -> impl Iterator<Item = String> {
        let sizes = (!self.sizes.numbers.is_empty()).then(String::new);
        std::iter::once(normalize(&self.name)).chain(sizes)
    }
}

/// Series with the same categories.
#[derive(Default)]
struct ChartTable<'c> {
    series: Vec<&'c Series>,
    categories: BTreeMap<usize, &'c str>,
    /// Whether one of its series is plotted over numbers.
    is_scattered: bool,
}

impl<'c> ChartTable<'c> {
    /// Whether the points that it shares with `series` have the same categories.
    fn has_place_for(&self, series: &Series) -> bool {
        // Bars and lines share the axis, and the categories, of the first series.
        (!self.is_scattered && !series.is_scattered)
            || series.points().all(|(at, own)| self.categories.get(&at).is_none_or(|category| *category == own))
    }

    fn take(&mut self, series: &'c Series) {
        for (at, name) in series.points() {
            let known = self.categories.entry(at).or_default();
            *known = if known.is_empty() { name } else { known };
        }
        self.is_scattered |= series.is_scattered;
        self.series.push(series);
    }

    fn leaves(&self, number: u32, is_from_1904: bool) -> Vec<Leaf> {
        let has_names = self.series.iter().any(|series| !normalize(&series.name).is_empty());
        let names = || self.series.iter().flat_map(|series| series.names());
        let header = (has_names && !self.categories.is_empty())
            .then(|| Leaf::row(number, true, &std::iter::once(String::new()).chain(names()).collect::<Vec<_>>()));
        let rows = self.categories.iter().map(|(at, category)| {
            let values = self.series.iter().flat_map(|series| series.format_points(*at, is_from_1904));
            Leaf::row(number, false, &std::iter::once((*category).to_owned()).chain(values).collect::<Vec<_>>())
        });
        header.into_iter().chain(rows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::render_leaf;
    use super::*;

    #[test]
    fn a_chart_is_a_table_of_categories_and_series() {
        let series = |name: &str, values: &str| {
            format!(
                "<c:ser><c:tx><c:strRef><c:f>S!B1</c:f><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>\
                 <c:dLbls><c:dLbl><c:tx><c:rich><a:t>label</a:t></c:rich></c:tx></c:dLbl></c:dLbls>\
                 <c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>North</c:v></c:pt><c:pt idx='1'><c:v>South</c:v></c:pt></c:strCache></c:strRef></c:cat>\
                 <c:val><c:numRef><c:f>S!B2</c:f><c:numCache><c:formatCode>#,##0</c:formatCode>{values}</c:numCache></c:numRef></c:val></c:ser>"
            )
        };
        let one = series("Tons", "<c:pt idx='0'><c:v>1200</c:v></c:pt><c:pt idx='1'><c:v>800</c:v></c:pt>");
        let two = series("Boats", "<c:pt idx='1'><c:v>7.0</c:v></c:pt>");
        let part = format!(
            "<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Port of </a:t></a:r><a:r><a:t>Ost</a:t></a:r></a:p></c:rich></c:tx></c:title>\
             <c:plotArea><c:barChart>{one}{two}</c:barChart><c:valAx><c:title><c:tx><c:rich><a:t>axis</a:t></c:rich></c:tx></c:title></c:valAx></c:plotArea></c:chart>"
        );
        let found: Vec<String> = leaves(part.as_bytes()).iter().map(render_leaf).collect();
        assert_eq!(
            found,
            [
                "caption : Port of Ost",
                "table_row1h : |Tons|Boats",
                "table_row1 : North|1,200|",
                "table_row1 : South|800|7"
            ]
        );
        assert!(leaves(b"<c:chart><c:plotArea/></c:chart>").is_empty());
    }

    fn lines(part: &str) -> Vec<String> {
        leaves(part.as_bytes()).iter().map(render_leaf).collect()
    }

    fn points(values: &[&str]) -> String {
        let point = |(at, value): (usize, &&str)| format!("<c:pt idx='{at}'><c:v>{value}</c:v></c:pt>");
        values.iter().enumerate().map(point).collect()
    }

    fn numbers(element: &str, format: &str, values: &[&str]) -> String {
        format!(
            "<c:{element}><c:numRef><c:numCache><c:formatCode>{format}</c:formatCode>{}</c:numCache></c:numRef></c:{element}>",
            points(values)
        )
    }

    fn series(name: &str, parts: &[String]) -> String {
        format!(
            "<c:ser><c:tx><c:strRef><c:strCache>{}</c:strCache></c:strRef></c:tx>{}</c:ser>",
            points(&[name]),
            parts.concat()
        )
    }

    #[test]
    fn series_with_categories_of_their_own_are_tables_of_their_own() {
        let scatter = |name: &str, x: &[&str], y: &[&str]| {
            series(name, &[numbers("xVal", "General", x), numbers("yVal", "General", y)])
        };
        let own = [scatter("XY", &["1.5", "3"], &["2", "4"]), scatter("XZ", &["10", "30"], &["20", "40"])].concat();
        assert_eq!(
            lines(&format!("<c:chart><c:plotArea><c:scatterChart>{own}</c:scatterChart></c:plotArea></c:chart>")),
            [
                "table_row1h : |XY",
                "table_row1 : 1.5|2",
                "table_row1 : 3|4",
                "table_row2h : |XZ",
                "table_row2 : 10|20",
                "table_row2 : 30|40"
            ]
        );
        let same = [scatter("XY", &["1.5", "3"], &["2", "4"]), scatter("XZ", &["1.5", "3"], &["20"])].concat();
        let without = same.replacen("xVal", "none", 2).replace("<c:none", "<c:dLbls").replace("</c:none", "</c:dLbls");
        assert_eq!(
            lines(&format!("<c:plotArea>{without}</c:plotArea>"))[..3],
            ["table_row1h : |XY", "table_row1 : |2", "table_row1 : |4"]
        );
        assert_eq!(
            lines(&format!("<c:plotArea>{same}</c:plotArea>")),
            ["table_row1h : |XY|XZ", "table_row1 : 1.5|2|20", "table_row1 : 3|4|"]
        );
    }

    #[test]
    fn bubbles_keep_their_sizes() {
        let bubble = |name: &str, x: &[&str], y: &[&str], size: &[&str]| {
            series(
                name,
                &[numbers("xVal", "General", x), numbers("yVal", "General", y), numbers("bubbleSize", "0.0", size)],
            )
        };
        let both = bubble("Boats", &["1", "2"], &["5", "6"], &["7", "8"]) + &bubble("Crews", &["3"], &["4"], &["9"]);
        assert_eq!(
            lines(&format!("<c:plotArea>{both}</c:plotArea>")),
            [
                "table_row1h : |Boats|",
                "table_row1 : 1|5|7.0",
                "table_row1 : 2|6|8.0",
                "table_row2h : |Crews|",
                "table_row2 : 3|4|9.0"
            ]
        );
    }

    #[test]
    fn categories_read_as_the_chart_shows_them() {
        let dates =
            series("Tons", &[numbers("cat", "dd/mm/yyyy", &["45292.0", "45323"]), numbers("val", "0", &["1", "2"])]);
        let plot = format!("<c:plotArea>{dates}</c:plotArea>");
        assert_eq!(lines(&plot), ["table_row1h : |Tons", "table_row1 : 2024-01-01|1", "table_row1 : 2024-02-01|2"]);
        let early = dates.replace("45292.0", "43830");
        assert_eq!(
            lines(&format!("<c:chartSpace><c:date1904 c:val='1'/><c:plotArea>{early}</c:plotArea></c:chartSpace>"))[1],
            "table_row1 : 2024-01-01|1"
        );
        assert_eq!(
            lines(&format!("<c:chartSpace><c:date1904 c:val='0'/><c:plotArea>{dates}</c:plotArea></c:chartSpace>"))[1],
            "table_row1 : 2024-01-01|1"
        );
    }

    #[test]
    fn outer_categories_hold_until_the_next_one() {
        let levels = "<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:ptCount c:val='4'/>\
            <c:lvl><c:pt idx='0'><c:v>May</c:v></c:pt><c:pt idx='1'><c:v>June</c:v></c:pt><c:pt idx='2'><c:v>May</c:v></c:pt><c:pt idx='3'><c:v>June</c:v></c:pt></c:lvl>\
            <c:lvl><c:pt idx='0'><c:v>North</c:v></c:pt><c:pt idx='2'><c:v>South</c:v></c:pt></c:lvl>\
            <c:lvl><c:pt idx='0'><c:v>2024</c:v></c:pt></c:lvl></c:multiLvlStrCache></c:multiLvlStrRef></c:cat>";
        let part = series("Tons", &[levels.to_owned(), numbers("val", "0", &["1", "2", "3", "4"])]);
        assert_eq!(
            lines(&format!("<c:plotArea>{part}</c:plotArea>")),
            [
                "table_row1h : |Tons",
                "table_row1 : 2024 North May|1",
                "table_row1 : 2024 North June|2",
                "table_row1 : 2024 South May|3",
                "table_row1 : 2024 South June|4"
            ]
        );
    }

    #[test]
    fn levels_of_categories_are_bounded() {
        for (given, kept) in [(MAX_LEVELS - 1, MAX_LEVELS - 1), (MAX_LEVELS, MAX_LEVELS), (MAX_LEVELS + 1, MAX_LEVELS)]
        {
            let levels = format!("<c:lvl>{}</c:lvl>", points(&["x"])).repeat(given);
            let part = series("", &[format!("<c:cat>{levels}</c:cat>"), numbers("val", "0", &["1"])]);
            let found = lines(&format!("<c:plotArea>{part}</c:plotArea>"));
            assert_eq!(found, [format!("table_row1 : {}|1", vec!["x"; kept].join(" "))], "{given}");
        }
    }
}
