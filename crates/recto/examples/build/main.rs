//! Builds two documents and two workbooks from nothing: `build FOLDER`.
mod chart;
mod properties;
mod report;
mod workbook;

use std::path::Path;

use recto::Package;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: build FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    report::report()?.save(folder.join("report.docx"))?;
    workbook::workbook()?.save(folder.join("workbook.xlsx"))?;
    Package::new_document().save(folder.join("minimal.docx"))?;
    Package::new_workbook().save(folder.join("minimal.xlsx"))?;
    Ok(())
}
