//! Recto's schema, made from the files under `proto/`: how each message of the model is bound to XML, as static tables
//! ([`tables`]), and the model as structs ([`model`], with the feature of that name).

#![forbid(unsafe_code)]
#![deny(missing_docs)]
// A message may have the name of its package.
#![allow(clippy::module_inception)]

pub mod tables;

// Modules `fields`, `messages` and `enums`: numbers for code that reads and writes the wire by hand.
include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// The model: one module for each package, [`Package`](model::Package) being what a `.bin` holds.
#[cfg(feature = "model")]
pub mod model {
    include!(concat!(env!("OUT_DIR"), "/model.rs"));

    // What prost derives is generic over the buffer, so the code of all messages is made by whoever calls it. Calling it from here
    // makes it once, and not again for each crate and test that decodes.
    macro_rules! coded {
        ($($message:ty),*) => {$(
            impl $message {
                /// Decodes the message from its wire bytes.
                ///
                /// # Errors
                /// Where the bytes are not the message.
                pub fn decode_bin(bin: &[u8]) -> Result<Self, prost::DecodeError> {
                    prost::Message::decode(bin)
                }

                /// Encodes the message as wire bytes.
                pub fn encode_bin(&self) -> Vec<u8> {
                    prost::Message::encode_to_vec(self)
                }
            }
        )*};
    }

    coded!(Package, sheet::Row, sheet::Cell, sheet::Formula, sheet::RichText, word::Block);
}
