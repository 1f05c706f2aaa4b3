//! The model as prost structs, with the comments of the `.proto` files as their docs.

mod boxes;
mod docs;

use std::fmt::Write;
use std::path::Path;

use crate::options::Schema;
use crate::{Error, write as write_file};

/// Writes one file for each package, and `model.rs`, which includes them as nested modules; the package `recto` is its root.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(schema: &Schema, out_dir: &Path) -> Result<(), Error> {
    let mut config = prost_build::Config::new();
    config.out_dir(out_dir);
    for path in boxes::paths(schema) {
        config.boxed(path);
    }
    config.compile_fds(docs::documented(schema)).map_err(|error| Error::Io(out_dir.to_owned(), error))?;
    write_file(&out_dir.join("model.rs"), &modules(schema))
}

fn modules(schema: &Schema) -> String {
    let mut packages: Vec<&str> = schema.files.iter().map(|file| file.package.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    let mut out = String::new();
    write_module(&mut out, &packages, "recto");
    out
}

/// The inside of a package's module: its own file, and the packages below it.
fn write_module(out: &mut String, packages: &[&str], package: &str) {
    if packages.contains(&package) {
        let _ = writeln!(out, "include!(concat!(env!(\"OUT_DIR\"), \"/{package}.rs\"));");
    }
    let mut last = "";
    for below in packages.iter().filter_map(|name| name.strip_prefix(package)?.strip_prefix('.')) {
        let name = below.split('.').next().unwrap_or(below);
        if name != last {
            let _ = writeln!(out, "/// Package `{package}.{name}`.\npub mod {name} {{");
            write_module(out, packages, &format!("{package}.{name}"));
            out.push_str("}\n");
        }
        last = name;
    }
}
