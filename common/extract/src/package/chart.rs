//! Charts (ECMA-376, part 1, chapter 21.2) as tables: a row for each category, a column for each series, from the values saved with them.

use std::collections::BTreeMap;

use precis_proto::BlockKind;
use precis_text::{Leaf, normalize};

use super::markup::{Markup, XmlElement, walk};
use super::number_format::NumberFormat;

/// The leaves of the chart in `part`: its title as a caption, and its table, which has number 1. Empty if it has no values.
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
    values: BTreeMap<usize, String>,
    format: NumberFormat,
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
        const KEPT: [&str; 15] = [
            "title",
            "plotArea",
            "ser",
            "tx",
            "cat",
            "xVal",
            "val",
            "yVal",
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
        let (is_name, is_category, is_value) =
            (is_in("tx"), is_in("cat") || is_in("xVal"), is_in("val") || is_in("yVal"));
        let Some(series) = self.series.last_mut().filter(|_| !is_label) else { return };
        match (name, is_name, is_category, is_value) {
            ("v", true, ..) => series.name.push_str(&text),
            // Categories of several levels: the outer ones come last.
            ("v", _, true, _) => {
                series
                    .categories
                    .entry(self.point)
                    .and_modify(|inner| *inner = format!("{text} {inner}"))
                    .or_insert(text);
            }
            ("v", _, _, true) => drop(series.values.insert(self.point, text)),
            ("formatCode", _, _, true) => series.format = NumberFormat::read(&text),
            _ => {}
        }
    }

    fn leaves(&self) -> Vec<Leaf> {
        let mut categories: BTreeMap<usize, &str> = BTreeMap::new();
        for series in &self.series {
            for at in series.values.keys().chain(series.categories.keys()) {
                let name = series.categories.get(at).map_or("", String::as_str);
                categories
                    .entry(*at)
                    .and_modify(|known| *known = if known.is_empty() { name } else { known })
                    .or_insert(name);
            }
        }
        let title = normalize(&self.title);
        let caption = (!title.is_empty()).then(|| Leaf::new(BlockKind::Caption, title));
        let names: Vec<String> = self.series.iter().map(|series| normalize(&series.name)).collect();
        let has_names = names.iter().any(|name| !name.is_empty());
        let header =
            (has_names && !categories.is_empty()).then(|| Leaf::row(1, true, &[vec![String::new()], names].concat()));
        let rows = categories.iter().map(|(at, category)| {
            let values = self.series.iter().map(|series| series.shown(*at));
            Leaf::row(1, false, &std::iter::once(normalize(category)).chain(values).collect::<Vec<_>>())
        });
        caption.into_iter().chain(header).chain(rows).collect()
    }
}

impl Series {
    /// The value at a point as the chart shows it.
    fn shown(&self, at: usize) -> String {
        let Some(value) = self.values.get(&at) else { return String::new() };
        let number = value.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let shown = number.and_then(|number| self.format.number(number, false));
        normalize(&shown.unwrap_or_else(|| value.clone()))
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
}
