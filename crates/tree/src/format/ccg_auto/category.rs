//! CCG categories as far as heads need them: a category's result, its argument slots, and which of functor and
//! argument depends on the other.
//!
//! Three notations are read: plain (`(NP\NP)/NP`), with the indices of CCGbank's leaves (`(NP_1\NP_1)/NP_2`), and
//! with the variables and slots of C&C (`((NP{Y}\NP{Y}<1>){_}/NP{Z}<2>){_}`).

/// A place for an argument in a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The category that is left when the argument was found.
    pub result: &'a str,
    /// The argument's category.
    pub argument: &'a str,
}

/// The argument slots of a category, the one filled last first: CCGbank's slot 1 is the first of them.
pub fn slots(category: &str) -> Vec<Slot<'_>> {
    let mut slots = Vec::new();
    let mut rest = category;
    while let Some(slot) = split(rest) {
        slots.push(slot);
        rest = slot.result;
    }
    slots.reverse();
    slots
}

/// Splits a category at its main slash.
pub fn split(category: &str) -> Option<Slot<'_>> {
    let inner = strip(category);
    main_slash(inner).map(|at| Slot { result: &inner[..at], argument: &inner[at + 1..] })
}

/// The last slash outside of all brackets.
fn main_slash(category: &str) -> Option<usize> {
    let mut depth = 0u32;
    let mut main = None;
    for (at, c) in category.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            '/' | '\\' if depth == 0 && at > 0 => main = Some(at),
            _ => {}
        }
    }
    main
}

/// A category without brackets around all of it and without the marks of the whole; an atom without any marks.
fn strip(category: &str) -> &str {
    let mut rest = category;
    loop {
        let unmarked = without_end_marks(rest);
        if is_bracketed(unmarked) {
            rest = &unmarked[1..unmarked.len() - 1];
        } else if main_slash(rest).is_some() {
            return rest;
        } else {
            return unmarked;
        }
    }
}

/// A category without the variable, slot number and index at its end.
fn without_end_marks(category: &str) -> &str {
    let mut rest = category;
    for (open, close) in [('<', '>'), ('{', '}')] {
        if let Some(at) = rest.strip_suffix(close).and_then(|r| r.rfind(open)).filter(|&at| at > 0) {
            rest = &rest[..at];
        }
    }
    index_start(rest).map_or(rest, |at| &rest[..at])
}

/// Where the index of an atom or of a bracketed category starts: `_12` or `_12:B`.
fn index_start(category: &str) -> Option<usize> {
    let at = category.rfind('_').filter(|&at| at > 0)?;
    let index = &category[at + 1..];
    let digits = index.split(':').next().unwrap_or_default();
    let ends_there = !index.contains(['/', '\\', '(', ')']);
    (ends_there && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())).then_some(at)
}

fn is_bracketed(category: &str) -> bool {
    if !category.starts_with('(') || !category.ends_with(')') {
        return false;
    }
    let mut depth = 0u32;
    for (at, c) in category.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == category.len();
        }
    }
    false
}

/// A category without features and without any marks: what two categories must share to be alike.
pub fn bare(category: &str) -> String {
    without(strip(category), "[{<", "]}>")
}

/// A category without marks, but with the features that make it a certain kind of clause or number.
fn featured(category: &str) -> String {
    without(strip(category), "{<", "}>").replace("[X]", "").replace("[nb]", "").replace("[conj]", "")
}

/// A category without its indices, and without what stands between the given brackets.
fn without(category: &str, opening: &str, closing: &str) -> String {
    let mut out = String::with_capacity(category.len());
    let mut depth = 0u32;
    let mut index = false;
    for c in category.chars() {
        match c {
            _ if opening.contains(c) => depth += 1,
            _ if closing.contains(c) => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '_' if !out.is_empty() => index = true,
            '/' | '\\' | '(' | ')' => {
                index = false;
                out.push(c);
            }
            _ if !index => out.push(c),
            _ => {}
        }
    }
    out
}

/// Whether a functor takes its head from the argument in this slot, so that it depends on it: modifiers (`X/X`) and
/// determiners (`NP/N`) do. A feature other than `[adj]` makes a functor of its own: `S[b]\NP` is the argument of an
/// auxiliary `(S[dcl]\NP)/(S[b]\NP)`, not what it modifies.
pub fn depends_on(slot: Slot<'_>) -> bool {
    let (result, argument) = (featured(slot.result), featured(slot.argument));
    let has_features = result.replace("[adj]", "").contains('[');
    !has_features && (result == argument || (result == "NP" && argument == "N"))
}

/// Whether a slot is that of a raised type, `S/(S\NP)`, which also leaves its head to the argument.
fn is_raised(slot: Slot<'_>) -> bool {
    let result = featured(slot.result);
    let inner = split(slot.argument).map(|inner| featured(inner.result));
    result.trim_start_matches('(').starts_with('S') && !result.contains('[') && inner == Some(result)
}

/// As [`depends_on`], for slot `number` of a category of C&C, which marks slots by numbers and shared heads by
/// variables. `None` when the category marks no such slot.
pub fn marked_depends_on(category: &str, number: u32) -> Option<bool> {
    let is_meant = |s: &Slot<'_>| {
        marked_number(s.argument).or_else(|| marked_number(innermost(s.argument))) == Some(number)
    };
    let slot = slots(category).into_iter().find(is_meant)?;
    Some(variable(slot.argument)? == variable(slot.result)?)
}

fn innermost(category: &str) -> &str {
    let mut rest = category;
    while let Some(slot) = split(rest) {
        rest = slot.result;
    }
    unbracketed(rest)
}

/// An atom with its marks but without brackets around it.
fn unbracketed(mut atom: &str) -> &str {
    while is_bracketed(atom) {
        atom = &atom[1..atom.len() - 1];
    }
    atom
}

/// The variable `{Y}` at the end of a category, slot marks aside.
fn variable(category: &str) -> Option<&str> {
    let marked = match category.strip_suffix('>').and_then(|c| c.rfind('<')) {
        Some(at) => &category[..at],
        None => category,
    };
    let inner = marked.strip_suffix('}')?;
    Some(inner[inner.rfind('{')? + 1..].trim_end_matches('*'))
}

fn marked_number(atom: &str) -> Option<u32> {
    let inner = atom.strip_suffix('>')?;
    inner[inner.rfind('<')? + 1..].parse().ok()
}

/// Which child of a rule is its head, where a file does not say: of two, the functor unless it [`depends_on`] its
/// argument or is a raised type; never a punctuation mark or a conjunction beside a phrase.
pub fn head_child(parent: &str, children: &[&str]) -> usize {
    let &[left, right] = children else { return 0 };
    if !is_phrase(left) {
        return 1;
    }
    if !is_phrase(right) {
        return 0;
    }
    if parent.ends_with("[conj]") {
        return 1;
    }
    if right.ends_with("[conj]") {
        return usize::from(bare(right) == "N");
    }
    let parent = bare(parent);
    let leaves_head = |slot: Slot<'_>| depends_on(slot) || is_raised(slot);
    let modifies = |functor: &str, slash: char, other: &str| {
        looking(functor, slash).is_some_and(depends_on) && parent == bare(other)
    };
    if modifies(right, '\\', left) {
        return 0;
    }
    if modifies(left, '/', right) {
        return 1;
    }
    if let Some(slot) = looking(left, '/').filter(|&slot| takes(slot, right)) {
        return usize::from(leaves_head(slot));
    }
    if let Some(slot) = looking(right, '\\').filter(|&slot| takes(slot, left)) {
        return usize::from(!leaves_head(slot));
    }
    usize::from(parent == bare(right))
}

/// The outermost slot of a category if its slash is `slash`.
fn looking(category: &str, slash: char) -> Option<Slot<'_>> {
    split(category).filter(|slot| strip(category)[slot.result.len()..].starts_with(slash))
}

/// Whether a category can fill a slot, by application or composition.
fn takes(slot: Slot<'_>, argument: &str) -> bool {
    let wanted = bare(slot.argument);
    let mut rest = Some(argument);
    while let Some(category) = rest {
        if bare(category) == wanted {
            return true;
        }
        rest = split(category).map(|inner| inner.result);
    }
    false
}

fn is_phrase(category: &str) -> bool {
    category != "conj"
        && category.starts_with(|c: char| c == '(' || c.is_ascii_uppercase())
        && !is_bracket(category)
}

fn is_bracket(category: &str) -> bool {
    matches!(category, "LRB" | "RRB" | "LQU" | "RQU")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_counted_from_the_one_filled_last() {
        let got = slots(r"((S\NP)\(S\NP))/NP");
        let arguments: Vec<&str> = got.iter().map(|s| s.argument).collect();
        assert_eq!(arguments, ["NP", r"(S\NP)", "NP"]);
        assert_eq!(got.iter().map(|&s| depends_on(s)).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(slots("N"), []);
        assert_eq!(slots(","), []);
    }

    #[test]
    fn marks_and_features_do_not_count_when_categories_are_compared() {
        assert_eq!(bare(r"((NP{Y}\NP{Y}<1>){_}/(S[dcl]{Z}<2>\NP{Y*}){Z}){_}"), r"(NP\NP)/(S\NP)");
        assert_eq!(bare(r"(S[dcl]\NP_94)/(S[b]_95\NP_94:B)_95"), r"(S\NP)/(S\NP)");
        assert_eq!(bare("NP[nb]_70/N_70"), "NP/N");
        assert!(depends_on(slots("NP[nb]/N")[0]) && depends_on(slots("N/N")[0]));
    }

    #[test]
    fn variables_tell_which_argument_a_functor_depends_on() {
        let prep = r"((NP{Y}\NP{Y}<1>){_}/NP{Z}<2>){_}";
        assert_eq!([1, 2, 3].map(|n| marked_depends_on(prep, n)), [Some(true), Some(false), None]);
        let adverb = r"(((S[X]{Y}\NP{Z}){Y}\(S[X]{Y}<1>\NP{Z}){Y}){_}/NP{W}<2>){_}";
        assert_eq!([1, 2].map(|n| marked_depends_on(adverb, n)), [Some(true), Some(false)]);
        assert_eq!(marked_depends_on(r"((N{Y}/N{Y}){Z}/(N{Y}/N{Y}){Z}<1>){_}", 1), Some(true));
        assert_eq!(marked_depends_on("conj", 1), None);
    }

    #[test]
    fn the_head_is_the_functor_unless_it_modifies() {
        for (parent, children, want) in [
            (r"S[dcl]", ["NP", r"S[dcl]\NP"], 1),
            (r"S[dcl]\NP", [r"(S[dcl]\NP)/NP", "NP"], 0),
            ("NP", ["NP[nb]/N", "N"], 1),
            ("NP", ["NP", r"NP\NP"], 0),
            ("S[dcl]", ["S[dcl]", "."], 0),
            ("NP[conj]", ["conj", "NP"], 1),
            ("NP", ["NP", "NP[conj]"], 0),
            (r"S[dcl]\NP", [r"(S\NP)/(S\NP)", r"S[dcl]\NP"], 1),
        ] {
            assert_eq!(head_child(parent, &children), want, "{children:?}");
        }
        assert_eq!(head_child("NP", &["N"]), 0);
    }
}
