//! How much a file may ask of the reader: on by default, so that a small hostile file cannot exhaust memory or time.

use crate::error::{Error, LimitError};

/// A limit, as an error names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Limit {
    /// [`Limits::max_entry_size`].
    EntrySize,
    /// [`Limits::max_total_size`].
    TotalSize,
    /// [`Limits::max_ratio`].
    Ratio,
    /// [`Limits::max_entries`].
    Entries,
    /// [`Limits::max_depth`].
    Depth,
    /// [`Limits::max_attributes`].
    Attributes,
    /// [`Limits::max_token_size`].
    TokenSize,
}

impl Limit {
    /// The name of the setting.
    pub fn name(self) -> &'static str {
        match self {
            Limit::EntrySize => "max_entry_size",
            Limit::TotalSize => "max_total_size",
            Limit::Ratio => "max_ratio",
            Limit::Entries => "max_entries",
            Limit::Depth => "max_depth",
            Limit::Attributes => "max_attributes",
            Limit::TokenSize => "max_token_size",
        }
    }

    /// What the setting counts.
    pub fn unit(self) -> &'static str {
        match self {
            Limit::EntrySize => "bytes in a part",
            Limit::TotalSize => "bytes in all parts",
            Limit::Ratio => "times the compressed size",
            Limit::Entries => "zip entries",
            Limit::Depth => "levels of elements",
            Limit::Attributes => "attributes on an element",
            Limit::TokenSize => "bytes in a text or tag",
        }
    }
}

macro_rules! limits {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $default:expr;)*) => {
        /// The limits of a reader. Start from [`Limits::default`] and change what must differ:
        ///
        /// ```
        /// use recto::Limits;
        /// let limits = Limits::default().with_max_entry_size(64 << 20).with_max_depth(200);
        /// assert_eq!(limits.max_depth, 200);
        /// ```
        ///
        /// The defaults let a sheet with 20 million cells (about 1 GB of XML) pass. Sizes are counted on the bytes
        /// that come out of the inflater, not on what the zip directory claims.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $($(#[$doc])* pub $field: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($field: $default,)* }
            }
        }
    };
}

limits! {
    /// Bytes of one entry, uncompressed. Default: 4 GiB.
    max_entry_size: u64 = 4 << 30;
    /// Bytes of all entries together, uncompressed. Default: 16 GiB.
    max_total_size: u64 = 16 << 30;
    /// Uncompressed bytes of an entry divided by the compressed bytes that they came from, at any point while it is read.
    /// Default: 500; deflate reaches 1032.
    max_ratio: u64 = 500;
    /// Uncompressed size in bytes up to which [`Limits::max_ratio`] does not apply. Default: 32 MiB.
    ratio_floor: u64 = 32 << 20;
    /// Entries in the zip directory. Default: 500,000.
    max_entries: u64 = 500_000;
    /// Levels of nested elements in a part. Default: 20,000; a level costs a few bytes, not stack.
    max_depth: u32 = 20_000;
    /// Attributes on one element, namespace declarations included. Default: 1,000.
    max_attributes: u32 = 1_000;
    /// Bytes of one text or tag. Default: 64 MiB.
    max_token_size: u64 = 64 << 20;
}

impl Limits {
    /// No limits at all, for files that the caller made.
    pub fn none() -> Self {
        Limits {
            max_entry_size: u64::MAX,
            max_total_size: u64::MAX,
            max_ratio: u64::MAX,
            ratio_floor: u64::MAX,
            max_entries: u64::MAX,
            max_depth: u32::MAX,
            max_attributes: u32::MAX,
            max_token_size: u64::MAX,
        }
    }

    /// Sets [`Limits::max_entry_size`].
    #[must_use]
    pub fn with_max_entry_size(mut self, bytes: u64) -> Self {
        self.max_entry_size = bytes;
        self
    }

    /// Sets [`Limits::max_total_size`].
    #[must_use]
    pub fn with_max_total_size(mut self, bytes: u64) -> Self {
        self.max_total_size = bytes;
        self
    }

    /// Sets [`Limits::max_ratio`] and the size up to which it does not apply, [`Limits::ratio_floor`].
    #[must_use]
    pub fn with_max_ratio(mut self, ratio: u64, floor: u64) -> Self {
        self.max_ratio = ratio;
        self.ratio_floor = floor;
        self
    }

    /// Sets [`Limits::max_entries`].
    #[must_use]
    pub fn with_max_entries(mut self, entries: u64) -> Self {
        self.max_entries = entries;
        self
    }

    /// Sets [`Limits::max_depth`].
    #[must_use]
    pub fn with_max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// Sets [`Limits::max_attributes`].
    #[must_use]
    pub fn with_max_attributes(mut self, attributes: u32) -> Self {
        self.max_attributes = attributes;
        self
    }

    /// Sets [`Limits::max_token_size`].
    #[must_use]
    pub fn with_max_token_size(mut self, bytes: u64) -> Self {
        self.max_token_size = bytes;
        self
    }

    /// The value of a limit.
    pub fn value(&self, limit: Limit) -> u64 {
        match limit {
            Limit::EntrySize => self.max_entry_size,
            Limit::TotalSize => self.max_total_size,
            Limit::Ratio => self.max_ratio,
            Limit::Entries => self.max_entries,
            Limit::Depth => u64::from(self.max_depth),
            Limit::Attributes => u64::from(self.max_attributes),
            Limit::TokenSize => self.max_token_size,
        }
    }

    /// The error for a limit that was exceeded.
    #[cold]
    pub fn exceeded(&self, limit: Limit) -> Error {
        LimitError { limit, value: self.value(limit) }.into()
    }

    /// Fails if `amount` is over the limit. For [`Limit::Ratio`], `amount` is the ratio.
    #[inline]
    pub fn check(&self, limit: Limit, amount: u64) -> Result<(), Error> {
        if amount > self.value(limit) { Err(self.exceeded(limit)) } else { Ok(()) }
    }
}
