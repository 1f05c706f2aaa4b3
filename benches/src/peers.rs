//! Other libraries, on the same bytes.

use std::io::Cursor;
use std::sync::Arc;

use calamine::{DataRef, Reader as _, Xlsx};
use ooxmlsdk::common::ReadAt;
use ooxmlsdk::parts::spreadsheet_document::SpreadsheetDocument;
use ooxmlsdk::parts::wordprocessing_document::WordprocessingDocument;
use quick_xml::events::Event;

use crate::Result;
use crate::operation::entries;

/// Something that another library does with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peer {
    /// quick-xml: the tokens of all XML entries, inflated beforehand.
    Tokens,
    /// calamine: the cells of all sheets as they come, with shared strings looked up.
    Calamine,
    /// umya-spreadsheet: the workbook as structs.
    Umya,
    /// ooxmlsdk: the roots of all parts as structs, in a document.
    SdkDocument,
    /// ooxmlsdk: the roots of all parts as structs, in a workbook.
    SdkWorkbook,
    /// ooxmlsdk: as above, then written with all roots made into XML again.
    SdkDocumentRoundTrip,
    /// ooxmlsdk: as above, then written with all roots made into XML again.
    SdkWorkbookRoundTrip,
    /// docx-rs: the document as structs.
    DocxRs,
    /// docx-rust: the document as structs.
    DocxRust,
}

const PEERS: [(&str, Peer); 9] = [
    ("tokens", Peer::Tokens),
    ("calamine", Peer::Calamine),
    ("umya", Peer::Umya),
    ("sdk-docx", Peer::SdkDocument),
    ("sdk-xlsx", Peer::SdkWorkbook),
    ("sdk-docx-round-trip", Peer::SdkDocumentRoundTrip),
    ("sdk-xlsx-round-trip", Peer::SdkWorkbookRoundTrip),
    ("docx-rs", Peer::DocxRs),
    ("docx-rust", Peer::DocxRust),
];

impl Peer {
    /// The peer with a name.
    pub fn named(name: &str) -> Option<Self> {
        PEERS.into_iter().find(|(known, _)| *known == name).map(|(_, peer)| peer)
    }

    /// Takes a file.
    ///
    /// # Errors
    /// If it is no zip file.
    pub fn prepare(self, package: Vec<u8>) -> Result<Prepared> {
        let entries = if self == Peer::Tokens { entries(&package)? } else { Vec::new() };
        Ok(Prepared { peer: self, package: package.into(), entries })
    }
}

/// A peer with its file.
pub struct Prepared {
    peer: Peer,
    package: Arc<[u8]>,
    entries: Vec<Vec<u8>>,
}

impl Prepared {
    /// Runs it once.
    ///
    /// # Errors
    /// Those of the library.
    pub fn run(&self) -> Result<u64> {
        match self.peer {
            Peer::Tokens => tokens(&self.entries),
            Peer::Calamine => calamine(&self.package),
            Peer::Umya => Ok(umya_spreadsheet::reader::xlsx::read_reader(Cursor::new(&self.package), true)?.sheet_count() as u64),
            Peer::SdkDocument => Ok(self.sdk_document()?.get_all_parts().count() as u64),
            Peer::SdkWorkbook => Ok(self.sdk_workbook()?.get_all_parts().count() as u64),
            Peer::SdkDocumentRoundTrip => Ok(self.sdk_document()?.to_package_bytes()?.len() as u64),
            Peer::SdkWorkbookRoundTrip => Ok(self.sdk_workbook()?.to_package_bytes()?.len() as u64),
            Peer::DocxRs => Ok(docx_rs::read_docx(&self.package)?.document.children.len() as u64),
            Peer::DocxRust => docx_rust(&self.package),
        }
    }

    fn sdk_document(&self) -> Result<WordprocessingDocument> {
        let mut document = WordprocessingDocument::new_from_reader_at(Source(Arc::clone(&self.package)))?;
        document.load_all_parts()?;
        Ok(document)
    }

    fn sdk_workbook(&self) -> Result<SpreadsheetDocument> {
        let mut workbook = SpreadsheetDocument::new_from_reader_at(Source(Arc::clone(&self.package)))?;
        workbook.load_all_parts()?;
        Ok(workbook)
    }
}

/// Bytes shared with ooxmlsdk, so that it need not copy them.
struct Source(Arc<[u8]>);

impl ReadAt for Source {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> std::io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }

    fn size(&self) -> std::io::Result<u64> {
        Ok(self.0.len() as u64)
    }
}

fn tokens(entries: &[Vec<u8>]) -> Result<u64> {
    let mut total = 0;
    for bytes in entries {
        let mut reader = quick_xml::Reader::from_reader(bytes.as_slice());
        loop {
            match reader.read_event()? {
                Event::Eof => break,
                Event::Start(tag) | Event::Empty(tag) => {
                    for attribute in tag.attributes().with_checks(false) {
                        total += attribute?.value.len() as u64;
                    }
                }
                _ => total += 1,
            }
        }
    }
    Ok(total)
}

fn calamine(package: &[u8]) -> Result<u64> {
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(package))?;
    let mut total = 0.0;
    for name in workbook.sheet_names() {
        let mut cells = workbook.worksheet_cells_reader(&name)?;
        while let Some(cell) = cells.next_cell()? {
            total += match cell.get_value() {
                DataRef::Float(number) => *number,
                DataRef::Int(number) => *number as f64,
                DataRef::SharedString(text) => text.len() as f64,
                DataRef::String(text) => text.len() as f64,
                _ => 1.0,
            };
        }
    }
    Ok(total.to_bits())
}

fn docx_rust(package: &[u8]) -> Result<u64> {
    let file = docx_rust::DocxFile::from_reader(Cursor::new(package)).map_err(|error| format!("docx-rust: {error:?}"))?;
    let document = file.parse().map_err(|error| format!("docx-rust: {error:?}"))?;
    Ok(document.document.body.content.len() as u64)
}
