//! Kinds of parts: the types of the relationships that lead to them, and their content types.

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/";
const MICROSOFT: &str = "http://schemas.microsoft.com/office/";

/// The last word of each type of relationship; what is before it, in short; the content type, empty where the extension
/// of the part's name gives it.
const KINDS: &[(&str, &str, &str)] = &[
    ("calcChain", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml"),
    ("chart", "", "application/vnd.openxmlformats-officedocument.drawingml.chart+xml"),
    ("chartColorStyle", "2011/relationships/", "application/vnd.ms-office.chartcolorstyle+xml"),
    ("chartEx", "2014/relationships/", "application/vnd.ms-office.chartex+xml"),
    ("chartStyle", "2011/relationships/", "application/vnd.ms-office.chartstyle+xml"),
    ("chartsheet", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.chartsheet+xml"),
    ("comments", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"),
    ("customXml", "", ""),
    ("customXmlProps", "", "application/vnd.openxmlformats-officedocument.customXmlProperties+xml"),
    ("drawing", "", "application/vnd.openxmlformats-officedocument.drawing+xml"),
    ("externalLink", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.externalLink+xml"),
    ("header", "", "application/vnd.openxmlformats-officedocument.wordprocessingml.header+xml"),
    ("image", "", ""),
    ("numbering", "", "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"),
    ("person", "2017/10/relationships/", "application/vnd.ms-excel.person+xml"),
    ("pivotCacheDefinition", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheDefinition+xml"),
    ("pivotCacheRecords", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheRecords+xml"),
    ("pivotTable", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotTable+xml"),
    ("powerPivotData", "", "application/vnd.openxmlformats-officedocument.model+data"),
    ("sharedStrings", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"),
    ("sheetMetadata", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheetMetadata+xml"),
    ("slicer", "2007/relationships/", "application/vnd.ms-excel.slicer+xml"),
    ("slicerCache", "2007/relationships/", "application/vnd.ms-excel.slicerCache+xml"),
    ("styles", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"),
    ("table", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml"),
    ("theme", "", "application/vnd.openxmlformats-officedocument.theme+xml"),
    ("threadedComment", "2017/10/relationships/", "application/vnd.ms-excel.threadedcomments+xml"),
    ("vbaProject", "2006/relationships/", "application/vnd.ms-office.vbaProject"),
    ("vmlDrawing", "", ""),
    ("worksheet", "", "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"),
];

/// Type of the relationships that lead to a kind of part, and the content type of such parts, if each has its own.
pub(crate) fn of(kind: &str) -> (String, Option<&'static str>) {
    let (name, place, content_type) = KINDS.iter().find(|known| known.0 == kind).unwrap_or_else(|| panic!("no kind {kind}"));
    let before = if place.is_empty() { OFFICE.to_owned() } else { format!("{MICROSOFT}{place}") };
    (format!("{before}{name}"), Some(*content_type).filter(|text| !text.is_empty()))
}

/// A part's name as a relationship of `source` gives it.
pub(crate) fn target(source: &str, name: &str) -> String {
    let folders = source.rsplit_once('/').map_or("", |(folders, _)| folders);
    let from: Vec<&str> = folders.split('/').filter(|folder| !folder.is_empty()).collect();
    let to: Vec<&str> = name.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
    "../".repeat(from.len() - common) + &to[common..].join("/")
}
