//! [`OdtForms`]: form fields, which stand apart from the places where the document shows them, and fields whose state is no text.

use std::collections::BTreeMap;

use super::super::markup::{Markup, XmlElement};

/// The signs of a check box.
const CHECKED: &str = "☒";
const UNCHECKED: &str = "☐";

/// The form fields of a document.
#[derive(Debug, Default)]
pub(super) struct OdtForms {
    /// What each field shows, by its id.
    fields: BTreeMap<String, String>,
    /// Whether the part with the fields is being read.
    is_open: bool,
    list: Option<OpenList>,
    mark: Option<OpenMark>,
}

/// A list to choose from, being read.
#[derive(Debug)]
struct OpenList {
    id: String,
    chosen: Vec<String>,
}

/// A field in the text, being read.
#[derive(Debug, Default)]
struct OpenMark {
    kind: String,
    is_checked: bool,
    entries: Vec<String>,
    chosen: usize,
}

impl OdtForms {
    /// Takes a part of a field; returns whether it is one.
    pub(super) fn take(&mut self, event: &Markup<'_>) -> bool {
        match event {
            Markup::Open(element) => match element.name.as_str() {
                "forms" => self.is_open = true,
                "fieldmark" | "fieldmark-start" => {
                    let kind = element.attribute("type").unwrap_or_default();
                    self.mark = Some(OpenMark { kind, ..OpenMark::default() });
                }
                "param" => self.param(element),
                _ if self.is_open => self.field(element),
                _ => {}
            },
            Markup::Close(name) if self.is_open => match name.as_str() {
                "forms" => {
                    self.is_open = false;
                    return true;
                }
                "listbox" | "combobox" => {
                    if let Some(list) = self.list.take() {
                        self.fields.insert(list.id, list.chosen.join(", "));
                    }
                }
                _ => {}
            },
            Markup::Close(_) | Markup::Text(_) => {}
        }
        self.is_open
    }

    /// What the field `id` shows; `None` if there is no such field, or it shows nothing.
    pub(super) fn field_text(&self, id: &str) -> Option<&str> {
        self.fields.get(id).map(String::as_str).filter(|shown| !shown.trim().is_empty())
    }

    fn field(&mut self, element: &XmlElement<'_>) {
        let value = |names: &[&str]| names.iter().find_map(|name| element.attribute(name)).unwrap_or_default();
        let id = value(&["id"]);
        let boxed = |is_checked: bool| {
            let sign = if is_checked { CHECKED } else { UNCHECKED };
            format!("{sign} {}", value(&["label"])).trim_end().to_owned()
        };
        let shown = match element.name.as_str() {
            "option" => {
                let is_chosen = value(&["current-selected", "selected"]) == "true";
                if let Some(list) = self.list.as_mut().filter(|_| is_chosen) {
                    list.chosen.push(value(&["label"]));
                }
                return;
            }
            "listbox" => {
                self.list = Some(OpenList { id, chosen: Vec::new() });
                return;
            }
            "checkbox" => boxed(value(&["current-state", "state"]) == "checked"),
            "radio" => boxed(value(&["current-selected", "selected"]) == "true"),
            "text" | "textarea" | "formatted-text" | "number" | "date" | "time" | "combobox" => {
                value(&["current-value", "value"])
            }
            "fixed-text" | "frame" => value(&["label"]),
            // Buttons, passwords, hidden fields and files say nothing to a reader.
            _ => return,
        };
        self.fields.insert(id, shown);
    }

    fn param(&mut self, element: &XmlElement<'_>) {
        let Some(mark) = &mut self.mark else { return };
        let (name, value) = (element.attribute("name").unwrap_or_default(), element.attribute("value"));
        let value = value.unwrap_or_default();
        // The names have the program's own name before them in some versions of the format.
        if name.ends_with("Checkbox_Checked") {
            mark.is_checked = value == "true";
        } else if name.contains("ListEntry") || name.contains("Dropdown_Entry") {
            mark.entries.push(value);
        } else if name.contains("Selected") {
            mark.chosen = value.parse().unwrap_or(0);
        }
    }

    /// Ends the element `name` of a field in the text; returns what the field shows, if that is not text of the document.
    pub(super) fn mark_shows(&mut self, name: &str) -> Option<String> {
        let mark = self.mark.take()?;
        match mark.kind.rsplit('.').next()? {
            "FORMCHECKBOX" => Some(format!("{} ", if mark.is_checked { CHECKED } else { UNCHECKED })),
            "FORMDROPDOWN" if name == "fieldmark" => mark.entries.get(mark.chosen).cloned(),
            _ => None,
        }
    }
}
