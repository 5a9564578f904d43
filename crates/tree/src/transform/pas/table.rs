//! The mapping step of Wu et al. 2012, section 2.4 (their table 1): which word arcs each type of predicate makes.

use rustc_hash::FxHashMap;
use std::fmt;
use std::sync::LazyLock;

/// Types and their arcs, in the notation of the paper: `a > b` reads "a depends on b", `/` is "and", brackets are
/// optional parts. The n-th bracket of a type belongs to the n-th bracket of its arcs: `adj_arg12` is `adj_arg1[2]`
/// with its bracket, so it makes `arg2 > pred > arg1`.
const TABLE: &[(&str, &str)] = &[
    ("adj_arg1[2]", "[arg2 >] pred > arg1"),
    ("adj_mod_arg1[2]", "[arg2 >] pred > arg1 > mod"),
    ("aux[_mod]_arg12", "arg1/pred > arg2 [> mod]"),
    ("conj_arg1[2[3]]", "[arg2[/arg3]] > pred > arg1"),
    ("comp_arg1[2]", "pred > arg1 [> arg2]"),
    ("comp_mod_arg1", "arg1 > pred > mod"),
    ("noun_arg1", "pred > arg1"),
    ("noun_arg[1]2", "arg2 > pred [> arg1]"),
    ("poss_arg[1]2", "pred > arg2 [> arg1]"),
    ("prep_arg12[3]", "arg2[/arg3] > pred > arg1"),
    ("prep_mod_arg12[3]", "arg2[/arg3] > pred > arg1 > mod"),
    ("quote_arg[1]2", "[arg1 >] pred > arg2"),
    ("quote_arg[1]23", "[arg1/]arg3 > pred > arg2"),
    ("lparen_arg123", "pred/arg2 > arg3 > arg1"),
    ("relative_arg1[2]", "[arg2 >] pred > arg1"),
    ("verb_arg1[2[3[4]]]", "arg1[/arg2[/arg3[/arg4]]] > pred"),
    ("verb_mod_arg1[2[3[4]]]", "arg1[/arg2[/arg3[/arg4]]] > pred > mod"),
    ("app_arg12, coord_arg12", "arg2/pred > arg1"),
    ("det_arg1, it_arg1, punct_arg1", "pred > arg1"),
    ("dtv_arg2", "pred > arg2"),
    ("lgs_arg2", "arg2 > pred"),
    ("noun_arg0, there_arg0, rparen_arg0", ""),
];

/// A word's part in a predicate-argument structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The predicate itself.
    Pred,
    /// Its n-th argument, from 1.
    Arg(u8),
    /// What the whole phrase modifies.
    Mod,
}

/// The roles an argument structure may fill besides the predicate's own, in the order of Enju's attributes.
pub const ROLES: [Role; 5] = [Role::Arg(1), Role::Arg(2), Role::Arg(3), Role::Arg(4), Role::Mod];

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pred => f.write_str("pred"),
            Self::Arg(n) => write!(f, "arg{n}"),
            Self::Mod => f.write_str("mod"),
        }
    }
}

impl Role {
    fn parse(name: &str) -> Self {
        match name {
            "pred" => Self::Pred,
            "mod" => Self::Mod,
            _ => ROLES.into_iter().find(|r| r.to_string() == name).expect("the table names only known roles"),
        }
    }
}

/// An arc between two roles: the first depends on the second.
pub type RoleArc = (Role, Role);

static ARCS: LazyLock<FxHashMap<String, Vec<RoleArc>>> = LazyLock::new(|| {
    let mut arcs = FxHashMap::default();
    for (types, pattern) in TABLE {
        for name in types.split(", ") {
            for chosen in 0..1u32 << name.matches('[').count() {
                arcs.insert(with_brackets(name, chosen), parse(&with_brackets(pattern, chosen)));
            }
        }
    }
    arcs
});

/// The arcs that a type of predicate makes; `None` for a type the table lacks. Any type in `_arg0` makes none.
pub fn arcs(kind: &str) -> Option<&'static [RoleArc]> {
    match ARCS.get(kind) {
        Some(arcs) => Some(arcs),
        None if kind.ends_with("_arg0") => Some(&[]),
        None => None,
    }
}

/// All types of the table, sorted.
pub fn kinds() -> Vec<&'static str> {
    let mut kinds: Vec<&str> = ARCS.keys().map(String::as_str).collect();
    kinds.sort_unstable();
    kinds
}

/// The text of a pattern when the brackets whose bit is set in `chosen` are kept, the others left out.
fn with_brackets(pattern: &str, chosen: u32) -> String {
    let mut text = String::new();
    let mut open: Vec<bool> = Vec::new();
    let mut next = 0;
    for c in pattern.chars() {
        match c {
            '[' => {
                open.push(chosen >> next & 1 == 1);
                next += 1;
            }
            ']' => {
                open.pop();
            }
            _ if open.iter().all(|&kept| kept) => text.push(c),
            _ => {}
        }
    }
    text
}

fn parse(pattern: &str) -> Vec<RoleArc> {
    let groups: Vec<Vec<Role>> = pattern
        .split('>')
        .map(|group| group.split('/').map(str::trim).filter(|r| !r.is_empty()).map(Role::parse).collect())
        .collect();
    let pairs = groups.windows(2).flat_map(|pair| {
        pair[0].iter().flat_map(move |&dependent| pair[1].iter().map(move |&head| (dependent, head)))
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: &str) -> String {
        let arcs = arcs(kind).unwrap_or_else(|| panic!("{kind} is in the table"));
        arcs.iter().map(|(d, h)| format!("{d}>{h}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn optional_parts_of_types_and_arcs_go_together() {
        for (kind, want) in [
            ("adj_arg1", "pred>arg1"),
            ("adj_mod_arg12", "arg2>pred pred>arg1 arg1>mod"),
            ("aux_arg12", "arg1>arg2 pred>arg2"),
            ("aux_mod_arg12", "arg1>arg2 pred>arg2 arg2>mod"),
            ("conj_arg1", "pred>arg1"),
            ("conj_arg123", "arg2>pred arg3>pred pred>arg1"),
            ("comp_arg12", "pred>arg1 arg1>arg2"),
            ("noun_arg1", "pred>arg1"),
            ("noun_arg2", "arg2>pred"),
            ("noun_arg12", "arg2>pred pred>arg1"),
            ("quote_arg2", "pred>arg2"),
            ("quote_arg23", "arg3>pred pred>arg2"),
            ("quote_arg123", "arg1>pred arg3>pred pred>arg2"),
            ("lparen_arg123", "pred>arg3 arg2>arg3 arg3>arg1"),
            ("verb_arg1234", "arg1>pred arg2>pred arg3>pred arg4>pred"),
            ("verb_mod_arg1", "arg1>pred pred>mod"),
            ("app_arg12", "arg2>arg1 pred>arg1"),
            ("punct_arg1", "pred>arg1"),
            ("there_arg0", ""),
        ] {
            assert_eq!(text(kind), want, "{kind}");
        }
    }

    #[test]
    fn every_type_has_as_many_brackets_as_its_arcs() {
        for (types, pattern) in TABLE {
            for name in types.split(", ") {
                assert_eq!(name.matches('[').count(), pattern.matches('[').count(), "{name}");
            }
        }
        assert_eq!(kinds().len(), 46);
    }

    #[test]
    fn a_type_the_table_lacks_has_no_arcs_but_any_arg0_has_none_to_make() {
        assert_eq!(arcs("verb_arg12345"), None);
        assert_eq!(arcs(""), None);
        assert_eq!(arcs("interj_arg0"), Some(&[][..]));
    }
}
