//! Labels for texts that may or may not be disclosed, and types that carry them.
//!
//! A text derived from several texts is private if any of them is. Code that sends text to outsiders, such as a search provider or the
//! server of a page, only accepts a [`Public`] value. There are few ways to obtain one: [`Labelled::public`], which checks the label, and
//! constructors named after the origin of the text. A private text cannot become one:
//!
//! ```compile_fail
//! use precis_proto::label::{Labelled, Public};
//! let disclosed: Public<&str> = Labelled::private("words of a contract");
//! ```
//!
//! ```compile_fail
//! let disclosed = precis_proto::label::Public("words of a contract");
//! ```
//!
//! ```compile_fail
//! let disclosed: precis_proto::label::Public<String> = "words of a contract".to_owned().into();
//! ```
//!
//! A public text can:
//!
//! ```
//! use precis_proto::label::{Label, Labelled};
//! let disclosed = Labelled::new(Label::Public, "words of the question").public();
//! assert_eq!(disclosed.map(|public| public.into_inner()), Ok("words of the question"));
//! ```

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a text may be disclosed. A text not known to be public is private.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// May be disclosed to anyone.
    Public,
    /// May only be disclosed to parties that the user trusts with it.
    #[default]
    Private,
}

impl Label {
    /// Returns the label of a text derived from texts with these labels.
    ///
    /// ```
    /// use precis_proto::label::Label;
    ///
    /// assert_eq!(Label::Public.join(Label::Public), Label::Public);
    /// assert_eq!(Label::Public.join(Label::Private), Label::Private);
    /// ```
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        // The order of the variants decides: `Private` has to remain the greatest.
        self.max(other)
    }

    /// Returns whether the text may be disclosed to anyone.
    #[must_use]
    pub fn is_public(self) -> bool {
        self == Self::Public
    }
}

/// Why a search was not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// It would have disclosed private text.
    PrivateText,
}

/// A value with its label. `Debug` prints only the label.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Labelled<T> {
    label: Label,
    value: T,
}

impl<T> Labelled<T> {
    /// Labels `value`; the caller vouches for `label`.
    #[must_use]
    pub fn new(label: Label, value: T) -> Self {
        Self { label, value }
    }

    /// Labels `value` as private.
    #[must_use]
    pub fn private(value: T) -> Self {
        Self::new(Label::Private, value)
    }

    /// Returns the label.
    #[must_use]
    pub fn label(&self) -> Label {
        self.label
    }

    /// Applies `with` to the value and keeps the label.
    #[must_use]
    pub fn map<U>(self, with: impl FnOnce(T) -> U) -> Labelled<U> {
        Labelled::new(self.label, with(self.value))
    }

    /// Combines both values; the result is private if either is.
    #[must_use]
    pub fn and<U>(self, other: Labelled<U>) -> Labelled<(T, U)> {
        Labelled::new(self.label.join(other.label), (self.value, other.value))
    }

    /// Returns the value for disclosure.
    ///
    /// # Errors
    /// [`Withheld::PrivateText`] if it is private.
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

/// A value that may be disclosed to anyone. `Debug` still does not print it, because it may be personal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Public<T>(T);

impl<T> Public<T> {
    /// Wraps a value that the user gave for disclosure, such as a query for a provider or the address of a page to fetch.
    #[must_use]
    pub fn of_user(value: T) -> Self {
        Self(value)
    }

    /// Returns the value.
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
