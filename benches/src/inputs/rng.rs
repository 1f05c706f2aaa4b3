//! Numbers that look random and are the same on every run.

/// SplitMix64: short, and good enough for test data.
pub struct Rng(u64);

impl Rng {
    /// The sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number from 0 up to, and without, `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(end)) >> 64) as u64
    }

    /// A number from 0 up to, and without, 1.
    pub fn fraction(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of several texts.
    pub fn pick<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        texts.get(self.below(texts.len() as u64) as usize).copied().unwrap_or_default()
    }

    /// From `least` to `most` words with spaces between.
    pub fn words(&mut self, least: u64, most: u64) -> String {
        let count = least + self.below(most - least + 1);
        let mut text = String::new();
        for index in 0..count {
            if index > 0 {
                text.push(' ');
            }
            text.push_str(self.pick(&WORDS));
            text.push_str(self.pick(&["", "", "", "", "s", "ed", "ing", "er"]));
        }
        text
    }
}

const WORDS: [&str; 40] = [
    "account",
    "after",
    "agreement",
    "amount",
    "annual",
    "balance",
    "before",
    "between",
    "budget",
    "committee",
    "contract",
    "cost",
    "customer",
    "date",
    "delivery",
    "estimate",
    "for",
    "from",
    "in",
    "income",
    "invoice",
    "item",
    "market",
    "of",
    "order",
    "payment",
    "period",
    "plan",
    "price",
    "project",
    "quarter",
    "rate",
    "report",
    "revenue",
    "share",
    "tax",
    "the",
    "total",
    "value",
    "with",
];
