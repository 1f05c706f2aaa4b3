//! Makes the tables, and with the feature `model` the structs, from the `.proto` files.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new("../../proto");
    println!("cargo::rerun-if-changed={}", root.display());
    println!("cargo::rerun-if-changed=build.rs");
    let Some(out_dir) = std::env::var_os("OUT_DIR").map(PathBuf::from) else {
        println!("cargo::error=OUT_DIR is not set");
        return ExitCode::FAILURE;
    };
    #[cfg(feature = "model")]
    let generated = recto_schema_build::generate_with_structs(root, &out_dir);
    #[cfg(not(feature = "model"))]
    let generated = recto_schema_build::generate(root, &out_dir);
    match generated {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}
