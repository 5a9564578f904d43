//! The embedded sample: a hand-written synchronous grammar and lexicon that generate German-English pairs, trees and links.
