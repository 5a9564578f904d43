//! Symbols as bytes whose order is the order of the symbols: what rules are sorted, spilled and stored by.
//!
//! A symbol's number is its bits turned by two, so that the kind is lowest and small vocabulary numbers of every kind
//! stay small. Frequent symbols take one or two bytes, and no symbol has a zero byte at its start: a zero ends a side,
//! and a side sorts before all that begin with it.

use crate::symbol::Symbol;

/// Ends a side.
pub const END: u8 = 0;

const TWO: u8 = 0x70;
const THREE: u8 = 0xe0;
const FIVE: u8 = 0xfc;
const TWO_FROM: u32 = TWO as u32 - 1;
const THREE_FROM: u32 = TWO_FROM + (((THREE - TWO) as u32) << 8);
const FIVE_FROM: u32 = THREE_FROM + (((FIVE - THREE) as u32) << 16);

/// The number of a symbol: codes, and the children of a trie node, are in its order.
#[inline]
pub fn number(symbol: Symbol) -> u32 {
    symbol.bits().rotate_left(2)
}

/// The symbol of a number.
#[inline]
pub fn symbol(number: u32) -> Symbol {
    Symbol::from_bits(number.rotate_right(2))
}

/// Appends the code of one symbol.
#[inline]
pub fn push(symbol: Symbol, out: &mut Vec<u8>) {
    let n = number(symbol);
    if n < TWO_FROM {
        out.push(n as u8 + 1);
    } else if n < THREE_FROM {
        let n = n - TWO_FROM;
        out.extend_from_slice(&[TWO + (n >> 8) as u8, n as u8]);
    } else if n < FIVE_FROM {
        let n = n - THREE_FROM;
        out.extend_from_slice(&[THREE + (n >> 16) as u8, (n >> 8) as u8, n as u8]);
    } else {
        out.push(FIVE);
        out.extend_from_slice(&n.to_be_bytes());
    }
}

/// Appends the codes of a side, without an end.
pub fn push_all(symbols: &[Symbol], out: &mut Vec<u8>) {
    symbols.iter().for_each(|&symbol| push(symbol, out));
}

/// The symbols of a code, up to its end; of damaged bytes, as many as can be read.
#[derive(Clone)]
pub struct Symbols<'a>(pub &'a [u8]);

impl Iterator for Symbols<'_> {
    type Item = Symbol;

    #[inline]
    fn next(&mut self) -> Option<Symbol> {
        let (&first, rest) = self.0.split_first()?;
        let (n, length) = match first {
            END => return None,
            1..TWO => (u32::from(first) - 1, 0),
            TWO..THREE => (TWO_FROM + (u32::from(first - TWO) << 8 | u32::from(*rest.first()?)), 1),
            THREE..FIVE => {
                let low = u32::from(*rest.first()?) << 8 | u32::from(*rest.get(1)?);
                (THREE_FROM + (u32::from(first - THREE) << 16 | low), 2)
            }
            _ => (u32::from_be_bytes(*rest.first_chunk()?), 4),
        };
        self.0 = &rest[length..];
        Some(symbol(n))
    }
}

impl<'a> Symbols<'a> {
    /// The bytes after the end of this side; of damaged bytes, none.
    pub fn after(mut self) -> &'a [u8] {
        while self.next().is_some() {}
        self.0.split_first().map_or(&[], |(_, rest)| rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code(numbers: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_all(&numbers.iter().map(|&n| symbol(n)).collect::<Vec<_>>(), &mut bytes);
        bytes.push(END);
        bytes
    }

    fn any_number() -> impl Strategy<Value = u32> {
        (any::<u32>(), 0u32..32).prop_map(|(n, shift)| n >> shift)
    }

    proptest! {
        #[test]
        fn codes_come_back_and_sort_as_their_numbers(
            a in proptest::collection::vec(any_number(), 0..6),
            b in proptest::collection::vec(any_number(), 0..6),
        ) {
            let both = [code(&a), code(&b)].concat();
            prop_assert_eq!(Symbols(&both).map(number).collect::<Vec<_>>(), &a[..]);
            prop_assert_eq!(Symbols(Symbols(&both).after()).map(number).collect::<Vec<_>>(), &b[..]);
            prop_assert_eq!(code(&a).cmp(&code(&b)), a.cmp(&b));
        }

        #[test]
        fn damaged_codes_end_early(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            prop_assert!(Symbols(&bytes).count() <= bytes.len());
            Symbols(&bytes).after();
        }
    }

    #[test]
    fn the_edges_of_each_length_come_back() {
        for n in [0, TWO_FROM - 1, TWO_FROM, THREE_FROM - 1, THREE_FROM, FIVE_FROM - 1, FIVE_FROM, u32::MAX] {
            assert_eq!(Symbols(&code(&[n])).map(number).collect::<Vec<_>>(), [n]);
        }
    }
}
