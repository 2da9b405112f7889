//! Who may be told a text: two labels, and types that carry them.
//!
//! What is made of several texts is private where one of them is. Whoever tells strangers something, a search provider or the server
//! of a page, takes a [`Public`] value and nothing else, and the ways to one are few: [`Labelled::public`], which looks at the label,
//! and the borders that say in their names where a text comes from. A private text does not get there:
//!
//! ```compile_fail
//! use precis_proto::label::{Labelled, Public};
//! let told: Public<&str> = Labelled::private("words of a contract");
//! ```
//!
//! ```compile_fail
//! let told = precis_proto::label::Public("words of a contract");
//! ```
//!
//! ```compile_fail
//! let told: precis_proto::label::Public<String> = "words of a contract".to_owned().into();
//! ```
//!
//! What is public does:
//!
//! ```
//! use precis_proto::label::{Label, Labelled};
//! let told = Labelled::new(Label::Public, "words of the question").public();
//! assert_eq!(told.map(|told| told.into_inner()), Ok("words of the question"));
//! ```

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether strangers may be told a text. What is not known to be public is private.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Anybody may be told.
    Public,
    /// Only whom the user trusts with it.
    #[default]
    Private,
}

impl Label {
    /// The label of what is made of both.
    ///
    /// ```
    /// use precis_proto::label::Label;
    ///
    /// assert_eq!(Label::Public.join(Label::Public), Label::Public);
    /// assert_eq!(Label::Public.join(Label::Private), Label::Private);
    /// ```
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether anybody may be told.
    #[must_use]
    pub fn is_public(self) -> bool {
        self == Self::Public
    }
}

/// Why a search was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// It would have carried private text.
    PrivateText,
}

/// A value with its label. `Debug` shows the label alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Labelled<T> {
    label: Label,
    value: T,
}

impl<T> Labelled<T> {
    /// Border: `value` as far as `label` says that it may be told.
    #[must_use]
    pub fn new(label: Label, value: T) -> Self {
        Self { label, value }
    }

    /// A value that strangers may not be told.
    #[must_use]
    pub fn private(value: T) -> Self {
        Self::new(Label::Private, value)
    }

    /// Its label.
    #[must_use]
    pub fn label(&self) -> Label {
        self.label
    }

    /// What `with` makes of it, which strangers may be told no more than the value.
    #[must_use]
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Labelled<U> {
        Labelled::new(self.label, with(self.value))
    }

    /// Both values, private where one of them is.
    #[must_use]
    pub fn and<U>(self, other: Labelled<U>) -> Labelled<(T, U)> {
        Labelled::new(self.label.join(other.label), (self.value, other.value))
    }

    /// The value for strangers.
    ///
    /// # Errors
    /// [`Withheld::PrivateText`] where it is private.
    pub fn public(self) -> Result<Public<T>, Withheld> {
        match self.label {
            Label::Public => Ok(Public(self.value)),
            Label::Private => Err(Withheld::PrivateText),
        }
    }
}

impl<T> fmt::Debug for Labelled<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Labelled({:?})", self.label)
    }
}

/// A value that anybody may be told. `Debug` does not show it: it may be anybody's all the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Public<T>(T);

impl<T> Public<T> {
    /// Border: what the user gave to be told, such as a query typed for a provider or the address of a page to fetch.
    #[must_use]
    pub fn of_user(value: T) -> Self {
        Self(value)
    }

    /// The value.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> fmt::Debug for Public<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Public")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_of_something_private_is_private() {
        use Label::{Private, Public};
        for (a, b, both) in [
            (Public, Public, Public),
            (Public, Private, Private),
            (Private, Public, Private),
            (Private, Private, Private),
        ] {
            let made = Labelled::new(a, 1).and(Labelled::new(b, 2)).map(|(a, b)| a + b);
            assert_eq!((made.label(), a.join(b)), (both, both));
            assert_eq!(
                made.public().map(|told| told.into_inner()),
                if both.is_public() { Ok(3) } else { Err(Withheld::PrivateText) }
            );
        }
        assert_eq!(Label::default(), Private, "what nobody called public is private");
    }

    #[test]
    fn a_labelled_text_is_shown_in_no_log() {
        let shown = format!("{:?} {:?}", Labelled::private("a contract"), super::Public::of_user("a contract"));
        assert!(!shown.contains("contract"), "{shown}");
    }
}
