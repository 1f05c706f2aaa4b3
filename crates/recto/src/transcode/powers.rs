//! Powers of ten.

/// Powers of ten that a double holds exactly.
pub(super) static POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
    1e22,
];

/// Powers of ten in 64 bits.
#[allow(clippy::indexing_slicing)] // evaluated by the compiler
pub(super) static TENS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut at = 1;
    while at < 20 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// Powers of ten in 128 bits.
#[allow(clippy::indexing_slicing)] // evaluated by the compiler
pub(super) static WIDE_POWERS: [u128; 39] = {
    let mut powers = [1; 39];
    let mut at = 1;
    while at < 39 {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};
