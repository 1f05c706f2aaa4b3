//! Systematic habits of a producer, said once for a part.

use recto_schema::enums::{bool_form, number_form, number_type_form, prolog_form, toggle_form};

/// How a part's values are written; each member is the number of a value of the enum in `markup.proto`, and 0 as long
/// as nothing has shown it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forms {
    /// `BoolForm`.
    pub bools: u8,
    /// `ToggleForm`.
    pub toggles: u8,
    /// `NumberForm`.
    pub numbers: u8,
    /// `NumberTypeForm`.
    pub number_types: u8,
}

pub(crate) const BOOL_DIGIT: u8 = bool_form::DIGIT as u8;
pub(crate) const BOOL_WORD: u8 = bool_form::WORD as u8;
pub(crate) const BOOL_SWITCH: u8 = bool_form::SWITCH as u8;
pub(crate) const TOGGLE_BARE: u8 = toggle_form::BARE as u8;
pub(crate) const TOGGLE_EXPLICIT: u8 = toggle_form::EXPLICIT as u8;
pub(crate) const NUMBER_SHORTEST: u8 = number_form::SHORTEST as u8;
pub(crate) const NUMBER_EXCEL: u8 = number_form::EXCEL as u8;
pub(crate) const NUMBER_TYPE_IMPLICIT: u8 = number_type_form::IMPLICIT as u8;
pub(crate) const NUMBER_TYPE_EXPLICIT: u8 = number_type_form::EXPLICIT as u8;

/// The prolog that Office writes, and that therefore need not be kept.
pub(crate) const PROLOG: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";

/// The numbers of `PrologForm` and the prologs that they stand for.
const PROLOGS: [(u64, &[u8]); 8] = [
    (prolog_form::NONE, b""),
    (prolog_form::STANDALONE_LINE, b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"),
    (prolog_form::STANDALONE, b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"),
    (prolog_form::DEPENDENT_LINE, b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\r\n"),
    (prolog_form::ENCODING_LINE, b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"),
    (prolog_form::ENCODING, b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
    (prolog_form::LOWER_CASE, b"<?xml version=\"1.0\" encoding=\"utf-8\"?>"),
    (prolog_form::SINGLE_QUOTES_LINE, b"<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\n"),
];

/// The number of the form that a prolog has.
pub(crate) fn prolog_form(prolog: &[u8]) -> Option<u64> {
    PROLOGS.iter().find(|(_, text)| *text == prolog).map(|(form, _)| *form)
}

/// The prolog of a form; Office's for one that is not known.
pub(crate) fn prolog_text(form: u64) -> &'static [u8] {
    PROLOGS.iter().find(|(number, _)| *number == form).map_or(PROLOG, |(_, text)| text)
}

/// Whether `shown` is the part's form, which the first one that shows it decides.
#[inline]
pub(crate) fn agree(form: &mut u8, shown: u8) -> bool {
    if *form == 0 {
        *form = shown;
    }
    *form == shown
}

/// The text of a boolean in a form.
pub(crate) fn bool_text(form: u8, value: bool) -> &'static [u8] {
    match (form, value) {
        (BOOL_WORD, true) => b"true",
        (BOOL_WORD, false) => b"false",
        (BOOL_SWITCH, true) => b"on",
        (BOOL_SWITCH, false) => b"off",
        (_, true) => b"1",
        (_, false) => b"0",
    }
}

/// The value and form of a boolean's text.
pub(crate) fn parse_bool(text: &[u8]) -> Option<(bool, u8)> {
    Some(match text {
        b"1" => (true, BOOL_DIGIT),
        b"0" => (false, BOOL_DIGIT),
        b"true" => (true, BOOL_WORD),
        b"false" => (false, BOOL_WORD),
        b"on" => (true, BOOL_SWITCH),
        b"off" => (false, BOOL_SWITCH),
        _ => return None,
    })
}
