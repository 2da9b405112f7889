//! [`DocxForm`]: form fields whose state is no text of the document: check boxes and lists to choose from.

use super::super::markup::XmlElement;

/// The form field being read.
#[derive(Debug, Default)]
pub(super) struct DocxForm {
    open: Option<OpenField>,
}

#[derive(Debug)]
enum OpenField {
    CheckBox {
        is_checked: bool,
    },
    List {
        entries: Vec<String>,
        chosen: usize,
    },
    /// A content control with a check box, whose sign is text of the document.
    Control,
}

impl DocxForm {
    /// Takes an element; returns whether it belongs to a form field.
    pub(super) fn open(&mut self, name: &str, element: &XmlElement<'_>) -> bool {
        let value = || element.attribute("val");
        match (name, &mut self.open) {
            ("checkBox", _) => self.open = Some(OpenField::CheckBox { is_checked: false }),
            ("ddList", _) => self.open = Some(OpenField::List { entries: Vec::new(), chosen: 0 }),
            ("checkbox", _) => self.open = Some(OpenField::Control),
            // The default comes first.
            ("default" | "checked", Some(OpenField::CheckBox { is_checked })) => {
                *is_checked = !matches!(value().as_deref(), Some("0" | "false" | "off"));
            }
            ("default" | "result", Some(OpenField::List { chosen, .. })) => {
                *chosen = value().and_then(|value| value.parse().ok()).unwrap_or(0);
            }
            ("listEntry", Some(OpenField::List { entries, .. })) => entries.extend(value()),
            _ => return false,
        }
        true
    }

    /// Ends an element; returns what the field shows if one ends with it.
    pub(super) fn close(&mut self, name: &str) -> Option<String> {
        if !matches!(name, "checkBox" | "ddList" | "checkbox") {
            return None;
        }
        Some(match self.open.take()? {
            OpenField::CheckBox { is_checked: true } => "☒ ".to_owned(),
            OpenField::CheckBox { is_checked: false } => "☐ ".to_owned(),
            OpenField::List { entries, chosen } => entries.get(chosen).cloned().unwrap_or_default(),
            OpenField::Control => String::new(),
        })
    }
}
