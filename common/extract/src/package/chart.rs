//! Charts (ECMA-376, part 1, chapter 21.2) as tables: a row for each category, a column for each series, from the values saved with them.
//! Series that are plotted over other numbers than those before them are a table of their own.

use std::collections::BTreeMap;

use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

use super::markup::{Markup, XmlElement, walk};
use super::number_format::NumberFormat;

/// The leaves of the chart in `part`: its title as a caption, and its tables, which are numbered from 1. Empty if it has no values.
pub(super) fn leaves(part: &[u8]) -> Vec<Leaf> {
    let mut chart = Chart::default();
    walk(part, |event| chart.take(event));
    chart.leaves()
}

#[derive(Debug, Default)]
struct Chart {
    title: String,
    series: Vec<Series>,
    open: Vec<String>,
    /// The point being read.
    point: usize,
    text: String,
}

#[derive(Debug, Default)]
struct Series {
    name: String,
    categories: BTreeMap<usize, String>,
    /// Whether its categories are numbers over which it is plotted, which are its own.
    is_scattered: bool,
    values: Values,
    /// The sizes of bubbles.
    sizes: Values,
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
    fn shown(&self, at: usize) -> String {
        let Some(value) = self.numbers.get(&at) else { return String::new() };
        let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let shown = number.and_then(|number| self.format.number(number, false));
        normalize(&shown.unwrap_or_else(|| value.clone()))
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
            // Categories of several levels: the outer ones come last.
            ("v", _, true) => {
                series
                    .categories
                    .entry(self.point)
                    .and_modify(|inner| *inner = format!("{text} {inner}"))
                    .or_insert(text);
            }
            (_, true, _) | (_, _, true) => {}
            _ if is_value => series.values.take(name, self.point, text),
            _ if is_size => series.sizes.take(name, self.point, text),
            _ => {}
        }
    }

    fn leaves(&self) -> Vec<Leaf> {
        let title = normalize(&self.title);
        let caption = (!title.is_empty()).then(|| Leaf::new(BlockKind::Caption, title));
        let tables = (1..).zip(self.tables()).flat_map(|(number, table)| table.leaves(number));
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
        let points = self.values.numbers.keys().chain(self.sizes.numbers.keys()).chain(self.categories.keys());
        points.map(|at| (*at, self.categories.get(at).map_or("", String::as_str)))
    }

    /// Its values at a point, and its sizes if it has any.
    fn shown(&self, at: usize) -> impl Iterator<Item = String> {
        let sizes = (!self.sizes.numbers.is_empty()).then(|| self.sizes.shown(at));
        std::iter::once(self.values.shown(at)).chain(sizes)
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

    fn leaves(&self, number: u32) -> Vec<Leaf> {
        let has_names = self.series.iter().any(|series| !normalize(&series.name).is_empty());
        let names = || self.series.iter().flat_map(|series| series.names());
        let header = (has_names && !self.categories.is_empty())
            .then(|| Leaf::row(number, true, &std::iter::once(String::new()).chain(names()).collect::<Vec<_>>()));
        let rows = self.categories.iter().map(|(at, category)| {
            let values = self.series.iter().flat_map(|series| series.shown(*at));
            Leaf::row(number, false, &std::iter::once(normalize(category)).chain(values).collect::<Vec<_>>())
        });
        header.into_iter().chain(rows).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::shown;
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
        let found: Vec<String> = leaves(part.as_bytes()).iter().map(shown).collect();
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
        leaves(part.as_bytes()).iter().map(shown).collect()
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
        format!("<c:ser><c:tx><c:strRef><c:strCache>{}</c:strCache></c:strRef></c:tx>{}</c:ser>", points(&[name]), parts.concat())
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
            series(name, &[numbers("xVal", "General", x), numbers("yVal", "General", y), numbers("bubbleSize", "0.0", size)])
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

}
