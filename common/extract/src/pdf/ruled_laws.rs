//! Laws of tables with lines, tested on generated pages: each row has the cells that its lines enclose, however they are drawn and wherever
//! the text stands in them.

use precis_proto::BlockKind;
use precis_text::Leaf;

use super::fixture::{NumberGenerator, at, column, pdf};
use super::{PdfLimits, extract};

const WORDS: [&str; 12] =
    ["berth", "night", "crane", "winter", "water", "boat", "fee", "hall", "power", "metre", "crew", "yard"];
/// Left edge of the tables, height of their first line, distance of the lines of a cell.
const LEFT: f64 = 60.0;
const TOP: f64 = 640.0;
const LEADING: f64 = 12.0;

/// A cell: the columns and rows it covers, and its lines.
struct Cell {
    columns: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
    lines: Vec<String>,
}

/// How the lines of a table are drawn.
#[derive(Clone, Copy, Debug)]
enum Drawing {
    Strokes,
    Boxes,
    ThinBoxes,
}

/// A table, and the height of each of its rows in lines.
struct Sheet {
    widths: Vec<f64>,
    heights: Vec<usize>,
    cells: Vec<Cell>,
}

impl Sheet {
    /// A table of random words; every other one has a row label over two rows, and names over two columns.
    fn generate(numbers: &mut NumberGenerator) -> Self {
        let (columns, rows) = (2 + numbers.below(4), 3 + numbers.below(5));
        let widths: Vec<f64> = (0..columns).map(|_| 70.0 + numbers.below(3) as f64 * 10.0).collect();
        let heights: Vec<usize> = (0..rows).map(|_| 1 + numbers.below(3)).collect();
        let (merges_rows, merges_columns) = (numbers.below(2) == 0, numbers.below(2) == 0 && columns > 2);
        let mut sheet = Self { widths, heights, cells: Vec::new() };
        for row in 0..rows {
            for column in 0..columns {
                let is_covered =
                    (merges_rows && column == 0 && row == 2) || (merges_columns && row == 0 && column == 2);
                if is_covered {
                    continue;
                }
                let down = if merges_rows && column == 0 && row == 1 { 2 } else { 1 };
                let across = if merges_columns && row == 0 && column == 1 { 2 } else { 1 };
                let lines = (0..1 + numbers.below(sheet.heights[row])).map(|_| words(numbers)).collect();
                sheet.cells.push(Cell { columns: column..column + across, rows: row..row + down, lines });
            }
        }
        sheet
    }

    fn x(&self, column: usize) -> f64 {
        LEFT + self.widths[..column].iter().sum::<f64>()
    }

    fn y(&self, row: usize) -> f64 {
        TOP - self.heights[..row].iter().map(|lines| 8.0 + LEADING * *lines as f64).sum::<f64>()
    }

    fn draw(&self, drawing: Drawing, is_centred: bool) -> String {
        let mut out = String::from("0.5 w\n");
        for cell in &self.cells {
            let (left, right) = (self.x(cell.columns.start), self.x(cell.columns.end));
            let (top, bottom) = (self.y(cell.rows.start), self.y(cell.rows.end));
            out += &match drawing {
                Drawing::Boxes => format!("{left} {bottom} {} {} re S\n", right - left, top - bottom),
                Drawing::Strokes => {
                    format!(
                        "{left} {top} m {right} {top} l S {left} {top} m {left} {bottom} l S {right} {top} m {right} {bottom} l S {left} {bottom} m {right} {bottom} l S\n"
                    )
                }
                Drawing::ThinBoxes => format!(
                    "{left} {top} {w} 0.6 re {left} {bottom} {w} 0.6 re {left} {bottom} 0.6 {h} re {right} {bottom} 0.6 {h} re f\n",
                    w = right - left,
                    h = top - bottom
                ),
            };
            let room = top - bottom - 8.0 - LEADING * cell.lines.len() as f64;
            let first = top - 13.0 - if is_centred { room / 2.0 } else { 0.0 };
            for (n, line) in cell.lines.iter().enumerate() {
                out += &at(left + 4.0, first - LEADING * n as f64, line);
            }
        }
        out
    }

    /// The texts of each row.
    fn rows(&self) -> Vec<Vec<String>> {
        let cell = |column: usize, row: usize| {
            let cell = self.cells.iter().find(|cell| cell.columns.contains(&column) && cell.rows.contains(&row));
            cell.map(|cell| cell.lines.join(" ")).unwrap_or_default()
        };
        (0..self.heights.len()).map(|row| (0..self.widths.len()).map(|column| cell(column, row)).collect()).collect()
    }
}

fn words(numbers: &mut NumberGenerator) -> String {
    let word = |numbers: &mut NumberGenerator| WORDS[numbers.below(WORDS.len())];
    format!("{} {}", word(numbers), word(numbers))
}

fn rows(content: String) -> Vec<Vec<String>> {
    let pages = extract(&pdf(&[content]), &PdfLimits::default()).expect("the page has text").pages;
    let cells = |leaf: &Leaf| leaf.cells.iter().map(|cell| leaf.text[cell.clone()].replace('\n', " ")).collect();
    pages[0].iter().filter(|leaf| leaf.kind == BlockKind::TableRow).map(cells).collect()
}

#[test]
fn each_row_has_the_cells_that_its_lines_enclose() {
    let mut numbers = NumberGenerator(11);
    let prose = ["The council has set these fees for the year and", "for the next one too, whatever else may happen."];
    for n in 0..120 {
        let sheet = Sheet::generate(&mut numbers);
        let drawing = [Drawing::Strokes, Drawing::Boxes, Drawing::ThinBoxes][n % 3];
        let content = column(LEFT, 720.0, &prose) + &sheet.draw(drawing, n % 2 == 0) + &column(LEFT, 60.0, &prose);
        assert_eq!(rows(content), sheet.rows(), "table {n}, {drawing:?}");
    }
}

#[test]
fn level_lines_alone_divide_rows_of_centred_cells() {
    let lines =
        ["a berth for one night with water and", "the use of the showers in the club", "house for the whole crew"];
    let mut content = String::new();
    let (mut y, mut want) = (700.0, Vec::new());
    for n in 0..5_usize {
        let count = 1 + n % 3;
        let height = 8.0 + LEADING * count as f64;
        content += &format!("60 {y} m 380 {y} l S\n");
        let middle = y - height / 2.0 - 3.0;
        content += &(at(64.0, middle, &format!("Service {n}")) + &at(330.0, middle, &format!("{n}4 euros")));
        for (k, line) in lines[..count].iter().enumerate() {
            content += &at(130.0, y - 13.0 - LEADING * k as f64, line);
        }
        want.push(vec![format!("Service {n}"), lines[..count].join(" "), format!("{n}4 euros")]);
        y -= height;
    }
    content += &format!("60 {y} m 380 {y} l S\n");
    assert_eq!(rows(content.clone()), want);
    content += &(at(64.0, 708.0, "Service") + &at(130.0, 708.0, "What it covers") + &at(330.0, 708.0, "Fee"));
    want.insert(0, ["Service", "What it covers", "Fee"].map(str::to_owned).to_vec());
    assert_eq!(rows(content), want);
}

#[test]
fn figures_without_lines_between_their_rows_are_rows() {
    let mut content =
        String::from("60 700 300 20 re S 60 600 300 100 re S 180 600 m 180 720 l S 270 600 m 270 720 l S\n");
    content += &(at(64.0, 706.0, "Town") + &at(184.0, 706.0, "Boats") + &at(274.0, 706.0, "Berths"));
    for n in 0..6 {
        let y = 686.0 - 15.0 * f64::from(n);
        content += &(at(64.0, y, &format!("Town {n}")) + &at(184.0, y, &format!("{}", 10 + n)) + &at(274.0, y, "7"));
    }
    let want: Vec<Vec<String>> =
        (0..6).map(|n| vec![format!("Town {n}"), (10 + n).to_string(), "7".to_owned()]).collect();
    assert_eq!(rows(content)[1..], want);
}

#[test]
fn frames_around_columns_of_text_are_no_table() {
    let lines: Vec<String> = (0..34).map(|n| format!("an ordinary line of this column, number {n:02}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let frame = "50 760 500 20 re S 50 240 500 520 re S 300 240 m 300 780 l S\n".to_owned();
    let content = frame + &at(60.0, 766.0, "The head") + &at(310.0, 766.0, "of the page");
    assert_eq!(rows(content + &column(60.0, 740.0, &lines) + &column(310.0, 740.0, &lines)), Vec::<Vec<String>>::new());
}
