//! Changes the first text of a document and the first number of a workbook: `edit IN.docx OUT.docx IN.xlsx OUT.xlsx`.
use recto::{Package, sheet::cell::Value, word::block, word::inline, word::run_item};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    let [docx, new_docx, xlsx, new_xlsx] = &paths[..] else { return Err("usage: edit IN.docx OUT.docx IN.xlsx OUT.xlsx".into()) };
    let mut letter = Package::open(docx)?;
    let body = letter.document_mut().and_then(|document| document.body.as_mut()).ok_or("no body")?;
    'text: for block in &mut body.content {
        let Some(block::Item::Paragraph(paragraph)) = &mut block.item else { continue };
        for inline in &mut paragraph.content {
            let Some(inline::Item::Run(run)) = &mut inline.item else { continue };
            let Some(run_item::Item::Text(text)) = run.content.first_mut().and_then(|item| item.item.as_mut()) else { continue };
            text.value = "Edited with Recto".to_owned();
            break 'text;
        }
    }
    letter.save(new_docx)?;
    let mut book = Package::open(xlsx)?;
    let data = book.worksheets_mut().find_map(|sheet| sheet.data.as_mut()).ok_or("no sheet")?;
    let mut cells = data.rows.iter_mut().flat_map(|row| &mut row.cells).filter(|cell| cell.formula.is_none());
    let cell = cells.find(|cell| matches!(cell.value, Some(Value::Number(_)))).ok_or("no number")?;
    cell.value = Some(Value::Number(42.5));
    Ok(book.save(new_xlsx)?)
}
