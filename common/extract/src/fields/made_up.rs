//! Which properties of a file nobody wrote: titles that say nothing, names of files, programs and accounts, times of templates. The rule is
//! stated in `docs/formats.md`.

use precis_language::placeholder::{names_nobody, titles_nothing};
use precis_proto::DocumentFormat;

/// Programs that write their name as the title or author, in lower case.
const PROGRAMS: [&str; 36] = [
    "microsoft",
    "word",
    "powerpoint",
    "excel",
    "libreoffice",
    "openoffice",
    "staroffice",
    "adobe",
    "acrobat",
    "acrobat distiller",
    "indesign",
    "quarkxpress",
    "framemaker",
    "pagemaker",
    "coreldraw",
    "wordperfect",
    "ghostscript",
    "latex",
    "pdflatex",
    "pdftex",
    "xetex",
    "tex",
    "dvips",
    "python-docx",
    "python-pptx",
    "openpyxl",
    "xlsxwriter",
    "apache poi",
    "docx4j",
    "aspose",
    "reportlab",
    "wkhtmltopdf",
    "pandoc",
    "itext",
    "tcpdf",
    "fpdf",
];
/// Endings of files besides those of the formats that are read.
const OTHER_ENDINGS: [&str; 34] = [
    "doc", "dot", "dotx", "dotm", "xls", "xlt", "xltx", "ppt", "pot", "potx", "indd", "qxd", "qxp", "dvi", "ps", "eps",
    "wpd", "pub", "cdr", "pmd", "tif", "jpg", "jpeg", "png", "gif", "svg", "psd", "ai", "vsd", "vsdx", "pages",
    "numbers", "graffle", "exe",
];
/// When the templates were made with which python-docx and python-pptx begin a file.
const TEMPLATE_TIMES: [&str; 2] = ["2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z"];
/// Days from which programs count, written by those without a clock.
const EPOCHS: [&str; 7] =
    ["1601-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1904-01-01", "1970-01-01", "1980-01-01"];

/// Whether `title` says nothing of its document: a word for a file without a name, the name of a file or program, or no word at all.
pub(crate) fn is_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || " .-_()#".contains(c));
    !title.chars().any(char::is_alphabetic) || titles_nothing(bare.trim()) || names_file(&lower) || is_program(title)
}

/// Whether `author` names nobody: an account, a program, or no word at all.
pub(crate) fn is_author(author: &str) -> bool {
    let lower = author.to_lowercase();
    !author.chars().any(char::is_alphabetic)
        || names_nobody(&lower)
        || is_program(author)
        || names_file(&lower)
        || is_account(author)
}

/// Whether `author` is a word of more digits than letters, such as the number of an employee.
fn is_account(author: &str) -> bool {
    let count = |is: fn(char) -> bool| author.chars().filter(|c| is(*c)).count();
    !author.contains(char::is_whitespace) && count(char::is_numeric) > count(char::is_alphabetic)
}

/// Whether `name` is a program, with or without its version, or begins with one and a dash: `Microsoft Word - minutes`.
pub(super) fn is_program(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_version =
        |rest: &str| !rest.chars().any(char::is_alphabetic) || rest.trim_start().starts_with(['®', '©', '(']);
    let of_office = |rest: &str| {
        let first = rest.split_whitespace().next().unwrap_or_default();
        PROGRAMS.contains(&first) && is_version(rest.trim_start().trim_start_matches(first))
    };
    let is_one = |name: &str| {
        PROGRAMS.iter().filter_map(|program| name.strip_prefix(program)).any(|rest| is_version(rest) || of_office(rest))
    };
    let before_dash = lower.split_once(" - ").map(|(before, _)| before);
    is_one(&lower) || before_dash.is_some_and(|before| before.starts_with("microsoft ") && is_one(before))
}

/// Whether `title`, in lower case, is the name of a file or a path to one.
fn names_file(title: &str) -> bool {
    let is_path =
        title.contains(":\\") || title.starts_with("\\\\") || title.starts_with("file:") || title.starts_with('/');
    let is_joined = !title.contains(char::is_whitespace) && title.contains('_');
    let has_ending = title.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_known = DocumentFormat::ALL.iter().any(|format| format.has_ending(ending));
        (is_known || OTHER_ENDINGS.contains(&ending)) && stem.ends_with(|c: char| !c.is_whitespace())
    });
    is_path || is_joined || has_ending
}

/// Whether `time` is that of a template rather than of the document.
pub(super) fn is_time_of_template(time: &str) -> bool {
    TEMPLATE_TIMES.contains(&time)
}

/// The day of `time`, which is written as in ISO 8601; `None` if it is no day, or one from which programs count.
pub(crate) fn day(time: &str) -> Option<&str> {
    let day = time.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<&str> = day.split('-').collect();
    let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_day = (1..=3).contains(&parts.len()) && parts[0].len() == 4 && parts.iter().all(is_number);
    (is_day && parts[0] != "0000" && !EPOCHS.contains(&day)).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_files_and_programs_are_dropped() {
        for title in [
            "Untitled",
            "untitled-1",
            "Document1",
            "Book 2",
            "PowerPoint Presentation",
            "Ohne Titel",
            "無題",
            "Microsoft Word - Minutes of May",
            "Microsoft Word",
            "minutes_2024",
            "Minutes.docx",
            "Report final.PDF",
            "C:\\Users\\jo\\a.doc",
            "123",
            "--",
            "Slide 1",
            "Microsoft PowerPoint - talk.ppt",
            "LaTeX 2.1",
            "layout.indd",
            "Letter.pages",
            "10811.exe",
        ] {
            assert!(is_title(title), "{title}");
        }
        for title in [
            "Minutes of May",
            "Document management in 2024",
            "Book reviews",
            "Word order in Dutch",
            "On Node.js",
            "Microsoft in Europe",
            "Excel at school",
            "Tex Avery",
            "ISO 9001",
            "Terms and conditions - Draft",
            "The Untitled Novel",
            "Microsoft Word for lawyers",
        ] {
            assert!(!is_title(title), "{title}");
        }
    }

    #[test]
    fn accounts_and_programs_are_no_authors() {
        for author in [
            "Administrator",
            "user",
            "Microsoft Office User",
            "python-docx",
            "Apache POI",
            "LibreOffice 7.4",
            "Unbekannt",
            "e516160",
            ".",
        ] {
            assert!(is_author(author), "{author}");
        }
        for author in
            ["Jo Lund", "Adobe Systems Incorporated", "The Unknown Soldiers' Trust", "李小龙", "Office of the Mayor"]
        {
            assert!(!is_author(author), "{author}");
        }
    }

    #[test]
    fn a_day_is_a_date_and_not_one_from_which_programs_count() {
        for (time, want) in [
            ("2026-03-14T09:30:00Z", Some("2026-03-14")),
            ("2026-03-14 09:30", Some("2026-03-14")),
            ("2026-03", Some("2026-03")),
            ("2026", Some("2026")),
            ("1970-01-01T00:00:00Z", None),
            ("0000-01-01", None),
            ("yesterday", None),
            ("14.3.2026", None),
            ("", None),
        ] {
            assert_eq!(day(time), want, "{time}");
        }
    }
}
