//! The token path, which reads all XML, gives the same as the path for regular markup, which is only faster.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

use recto::opc::Archive;
use recto::{ErrorFamily, Limits, parse_to_vec, report};
use recto_testing::fixtures;

#[test]
fn both_paths_give_the_same() {
    let both = Limits::default();
    // With so few attributes allowed, all is left to the token path, which counts them.
    let tokens = Limits::default().with_max_attributes(23);
    let mut compared = 0;
    for fixture in fixtures::good() {
        let bytes = fixture.bytes.as_slice();
        let measured =
            |limits| report::measure(&Archive::open(bytes, limits)?, limits).map(|(_, coverage)| format!("{coverage:?}"));
        match parse_to_vec(bytes, &tokens) {
            Ok((bin, _)) => {
                assert!(bin == parse_to_vec(bytes, &both).unwrap().0, "{}", fixture.path);
                assert_eq!(measured(&tokens).unwrap(), measured(&both).unwrap(), "{}", fixture.path);
                compared += 1;
            }
            Err(error) => assert_eq!(error.family(), ErrorFamily::Limit, "{}", fixture.path),
        }
    }
    assert!(compared > fixtures::good().len() / 2);
}
