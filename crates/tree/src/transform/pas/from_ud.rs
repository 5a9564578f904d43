//! Predicate-argument structures from trees of Universal Dependencies, by rules: what stands in for a parser such as Enju where there is
//! none (Wu et al. 2012, section 2.4). The predicate types are Enju's, so that mapping and checking are the same.
//!
//! | in UD | predicate | arguments |
//! |---|---|---|
//! | a verb, or a word with subject or object | `verb_arg1[2[3]]` | 1: subject; 2: object, passive subject, or clause; 3: indirect object, or clause beside an object |
//! | `cop` | `verb_arg12` | 1: subject; 2: what it links the subject with |
//! | the same as `acl`, or as `advcl` without `mark` | `verb_mod_arg...` | mod: what is modified, and no argument besides |
//! | `aux` | `aux_arg12` | 1: subject; 2: the verb |
//! | `case` | `prep_arg12` | 1: what the phrase modifies; 2: its noun |
//! | `case` of `nmod:poss` | `poss_arg12` | 1: what is possessed; 2: who possesses it |
//! | `mark` of `advcl` | `conj_arg12` | 1: the main clause; 2: the other |
//! | `mark` `to` of `acl` and `advcl` | `comp_mod_arg1` | 1: the verb; mod: what is modified |
//! | any other `mark` | `comp_arg1` | 1: the clause |
//! | `cc`, or a comma before a conjunct | `coord_arg12` | 1: the first conjunct; 2: this one |
//! | a comma before `appos` | `app_arg12` | 1: the noun; 2: its apposition |
//! | `det`, possessive pronoun | `det_arg1` | 1: the noun |
//! | relative pronoun | `relative_arg1` | 1: the noun |
//! | `punct` | `punct_arg1` | 1: its head |
//! | `compound`, `flat`, `fixed`, bare `obl` and `nmod`, conjunct or apposition without sign | `noun_arg1` | 1: its head |
//! | anything else | `adj_arg1` | 1: its head |
//!
//! The semantic head of a phrase is its content word, or the copula of its clause; the syntactic head is the first there is of
//! complementizer, preposition, auxiliary, copula and content word. A verb whose subject UD leaves out (`xcomp`) has that of the
//! verb above it, or its object.

use super::table::{ROLES, Role};
use super::{Converted, Heads, Predicate, settle};
use crate::dep::DepTree;
use crate::index::WordIx;
use crate::parse::{DepParse, Field};

/// The tree that the predicates of a UD tree make; a sentence that is no tree, not even a mended one, gives an empty parse.
pub fn from_ud(parse: &DepParse, heads: Heads) -> Converted {
    let Some(sound) = parse.sound_tree() else {
        return Converted { parse: DepParse::at(parse.place().clone()), report: super::Report::default() };
    };
    let clauses = Clauses { parse, tree: &sound.tree, heads };
    let graph: Vec<_> = clauses.predicates().iter().filter_map(Predicate::arcs).flatten().collect();
    let mut parse = parse.clone();
    let report = settle(&mut parse, clauses.head_word(sound.tree.root()), &graph);
    Converted { parse, report }
}

/// The predicates of a UD tree that can be mended to one; none otherwise.
pub fn predicates(parse: &DepParse, heads: Heads) -> Vec<Predicate<'static>> {
    let sound = parse.sound_tree();
    sound.map_or(vec![], |sound| Clauses { parse, tree: &sound.tree, heads }.predicates())
}

struct Clauses<'a> {
    parse: &'a DepParse,
    tree: &'a DepTree,
    heads: Heads,
}

fn predicate(kind: &'static str, word: WordIx, fillers: &[(Role, Option<WordIx>)]) -> Predicate<'static> {
    let filler = |role: Role| fillers.iter().find(|(filled, _)| *filled == role).and_then(|(_, word)| *word);
    Predicate { word, kind, arguments: ROLES.map(filler) }
}

impl Clauses<'_> {
    /// The relation of a word, without its subtype.
    fn relation(&self, word: WordIx) -> &str {
        let full = self.parse.deprel(word);
        full.split_once(':').map_or(full, |(relation, _)| relation)
    }

    fn is(&self, word: WordIx, field: Field, values: &[&str]) -> bool {
        values.contains(&self.parse.get(word, field))
    }

    /// The first dependent with one of these relations, as they are written or without their subtype.
    fn dependent(&self, word: WordIx, relations: &[&str]) -> Option<WordIx> {
        let has = |dependent: &&WordIx| {
            relations.contains(&self.parse.deprel(**dependent))
                || relations.contains(&self.relation(**dependent))
        };
        self.tree.dependents(word).iter().find(has).copied()
    }

    fn copula(&self, word: WordIx) -> Option<WordIx> {
        self.dependent(word, &["cop"])
    }

    /// The head word of a clause without its complementizer, or of a noun phrase without its preposition.
    fn inner_head(&self, word: WordIx) -> WordIx {
        let auxiliary = if self.heads == Heads::Syn { self.dependent(word, &["aux"]) } else { None };
        auxiliary.or_else(|| self.copula(word)).unwrap_or(word)
    }

    /// The head word of all that hangs by a word.
    fn head_word(&self, word: WordIx) -> WordIx {
        let outer = if self.heads == Heads::Syn { self.dependent(word, &["mark", "case"]) } else { None };
        let possessive =
            |outer: &WordIx| self.parse.deprel(word) != "nmod:poss" || self.relation(*outer) != "case";
        outer.filter(possessive).unwrap_or_else(|| self.inner_head(word))
    }

    fn subject(&self, word: WordIx) -> Option<WordIx> {
        let own = self.dependent(word, &["nsubj", "csubj"]);
        own.or_else(|| {
            let above = self.tree.head(word).filter(|_| self.relation(word) == "xcomp")?;
            self.dependent(above, &["obj", "iobj"]).or_else(|| self.dependent(above, &["nsubj", "csubj"]))
        })
    }

    fn is_verb(&self, word: WordIx) -> bool {
        let verbal = self.is(word, Field::Upos, &["VERB"]) && self.relation(word) != "amod";
        let relation = self.relation(word);
        let clause = ["nsubj", "csubj", "obj", "iobj", "ccomp", "xcomp"];
        !["aux", "cop", "case", "mark"].contains(&relation)
            && self.copula(word).is_none()
            && (verbal || self.dependent(word, &clause).is_some())
    }

    fn predicates(&self) -> Vec<Predicate<'static>> {
        let mut found = Vec::new();
        for word in self.tree.words() {
            found.extend(self.verb(word));
            if let Some(head) = self.tree.head(word) {
                found.extend(self.linking(word, head));
            }
        }
        found
    }

    /// The predicate of a verb or copula with its arguments.
    fn verb(&self, word: WordIx) -> Option<Predicate<'static>> {
        let verb = self.copula(word).or_else(|| self.is_verb(word).then_some(word))?;
        let head_word = |word: Option<WordIx>| word.map(|word| self.head_word(word));
        let passive = self.dependent(word, &["nsubj:pass", "csubj:pass"]);
        let clause = self.dependent(word, &["ccomp", "xcomp"]);
        let object = passive.or_else(|| self.dependent(word, &["obj"]));
        let indirect = self.dependent(word, &["iobj"]);
        let first = self.subject(word).filter(|_| passive.is_none());
        let (second, third) = match verb == word {
            true => (object.or(clause), indirect.or_else(|| clause.filter(|_| object.is_some()))),
            false => (Some(word), None),
        };
        // What a copula links the subject with is no clause: its preposition stands for it, or itself.
        let of_copula = || self.dependent(word, &["case"]).unwrap_or(word);
        let second = if verb == word { head_word(second) } else { second.map(|_| of_copula()) };
        let modified = self.modified(word);
        let other = |word: &WordIx| Some(*word) != modified;
        let [first, third] = [head_word(first), head_word(third)].map(|word| word.filter(other));
        let kind = match (modified.is_some(), second.is_some(), third.is_some()) {
            (false, false, false) => "verb_arg1",
            (false, true, false) => "verb_arg12",
            (false, _, true) => "verb_arg123",
            (true, false, false) => "verb_mod_arg1",
            (true, true, false) => "verb_mod_arg12",
            (true, _, true) => "verb_mod_arg123",
        };
        let second = second.filter(other);
        Some(predicate(
            kind,
            verb,
            &[(Role::Arg(1), first), (Role::Arg(2), second), (Role::Arg(3), third), (Role::Mod, modified)],
        ))
    }

    /// What a clause modifies, if nothing stands between them.
    fn modified(&self, word: WordIx) -> Option<WordIx> {
        let modifies = match self.relation(word) {
            "acl" => !self.has_to(word),
            "advcl" => self.dependent(word, &["mark"]).is_none(),
            _ => false,
        };
        self.tree.head(word).filter(|_| modifies).map(|head| self.inner_head(head))
    }

    fn has_to(&self, word: WordIx) -> bool {
        let mark = self.dependent(word, &["mark"]);
        mark.is_some_and(|mark| self.parse.form(mark).eq_ignore_ascii_case("to"))
    }

    /// The predicate that links a word with its head, unless it is an argument of that.
    fn linking(&self, word: WordIx, head: WordIx) -> Option<Predicate<'static>> {
        let above = self.tree.head(head);
        let inner = |word: Option<WordIx>| word.map(|word| self.inner_head(word));
        let first = |kind, arg1| Some(predicate(kind, word, &[(Role::Arg(1), Some(arg1))]));
        let both = |kind, arg1, arg2| {
            Some(predicate(kind, word, &[(Role::Arg(1), arg1), (Role::Arg(2), Some(arg2))]))
        };
        let relation = self.relation(word);
        if self.is_relative(word, head) {
            return first("relative_arg1", above?);
        }
        match relation {
            "nsubj" | "csubj" | "obj" | "iobj" | "ccomp" | "xcomp" | "cop" | "acl" => None,
            "det" => first("det_arg1", head),
            "nmod" if self.is(word, Field::Upos, &["PRON"]) && self.dependent(word, &["case"]).is_none() => {
                first("det_arg1", head)
            }
            "aux" => both("aux_arg12", self.subject(head), head),
            "case" if self.parse.deprel(head) == "nmod:poss" => both("poss_arg12", above, head),
            "case" => both("prep_arg12", self.copula(head).or_else(|| inner(above)), head),
            "mark" => self.mark(word, head),
            "cc" if self.relation(head) == "conj" => both("coord_arg12", above, head),
            "conj" | "appos" | "nmod" | "obl" => match self.sign(word) {
                Some(_) => None,
                None => first("noun_arg1", self.inner_head(head)),
            },
            "punct" => match self.relation(head) {
                "conj" if self.sign(head) == Some(word) => both("coord_arg12", above, head),
                "appos" if self.sign(head) == Some(word) => both("app_arg12", above, head),
                _ => first("punct_arg1", self.inner_head(head)),
            },
            "compound" | "flat" | "fixed" | "goeswith" => first("noun_arg1", head),
            "advcl" if self.dependent(word, &["mark"]).is_some() || self.is_clause(word) => None,
            _ => first("adj_arg1", self.inner_head(head)),
        }
    }

    fn is_clause(&self, word: WordIx) -> bool {
        self.is_verb(word) || self.copula(word).is_some()
    }

    /// The word that links a conjunct, an apposition or a noun phrase with its head, as their predicate.
    fn sign(&self, word: WordIx) -> Option<WordIx> {
        match self.relation(word) {
            "conj" => self.dependent(word, &["cc"]).or_else(|| self.comma(word)),
            "appos" => self.comma(word),
            _ => self.dependent(word, &["case"]),
        }
    }

    fn comma(&self, word: WordIx) -> Option<WordIx> {
        self.dependent(word, &["punct"]).filter(|&sign| sign < word)
    }

    fn mark(&self, word: WordIx, clause: WordIx) -> Option<Predicate<'static>> {
        let verb = Some(self.inner_head(clause));
        let above = self.tree.head(clause).map(|above| self.inner_head(above));
        let modifies = ["acl", "advcl"].contains(&self.relation(clause));
        Some(if modifies && self.has_to(clause) {
            predicate("comp_mod_arg1", word, &[(Role::Arg(1), verb), (Role::Mod, above)])
        } else if self.relation(clause) == "advcl" {
            predicate("conj_arg12", word, &[(Role::Arg(1), above), (Role::Arg(2), verb)])
        } else {
            predicate("comp_arg1", word, &[(Role::Arg(1), verb)])
        })
    }

    /// Whether a word is the pronoun of a relative clause, whose verb is `head`.
    fn is_relative(&self, word: WordIx, head: WordIx) -> bool {
        self.parse.deprel(head) == "acl:relcl" && self.is(word, Field::Xpos, &["WP", "WDT", "WRB"])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dep::Roots;

    /// `form/UPOS/XPOS/head/relation` for each word.
    fn sentence(words: &str) -> DepParse {
        let mut parse = DepParse::new(0);
        for word in words.split(' ') {
            let columns: Vec<&str> = word.split('/').collect();
            let head = columns[3].parse().ok();
            parse.push([columns[0], "_", columns[1], columns[2], "_", columns[4], "_", "_"], head);
        }
        parse
    }

    fn kinds(parse: &DepParse) -> Vec<String> {
        let mut kinds: Vec<String> = predicates(parse, Heads::Syn)
            .iter()
            .map(|found| {
                let filled = ROLES
                    .iter()
                    .zip(found.arguments)
                    .filter_map(|(role, word)| Some(format!("{role}={}", parse.form(word?))));
                format!("{} {} {}", parse.form(found.word), found.kind, filled.collect::<Vec<_>>().join(" "))
            })
            .collect();
        kinds.sort();
        kinds
    }

    fn heads(parse: &DepParse, heads: Heads) -> Vec<u32> {
        let converted = from_ud(parse, heads);
        assert!(!converted.report.illegal);
        converted.parse.tree(Roots::One).expect("one tree");
        converted.parse.words().filter_map(|word| converted.parse.raw_head(word)).collect()
    }

    #[test]
    fn an_auxiliary_is_the_syntactic_head_of_its_clause_and_the_verb_the_semantic_one() {
        let walk = sentence("John/PROPN/NNP/3/nsubj can/AUX/MD/3/aux walk/VERB/VB/0/root");
        assert_eq!(kinds(&walk), ["can aux_arg12 arg1=John arg2=walk", "walk verb_arg1 arg1=John"]);
        assert_eq!(heads(&walk, Heads::Sem), [3, 3, 0]);
        assert_eq!(heads(&walk, Heads::Syn), [3, 0, 2]);
    }

    #[test]
    fn a_preposition_stands_between_its_noun_and_what_it_modifies() {
        let talks =
            sentence("He/PRON/PRP/2/nsubj talks/VERB/VBZ/0/root to/ADP/IN/4/case Mary/PROPN/NNP/2/obl");
        assert_eq!(kinds(&talks), ["talks verb_arg1 arg1=He", "to prep_arg12 arg1=talks arg2=Mary"]);
        assert_eq!(heads(&talks, Heads::Sem), [2, 0, 2, 3]);
        let poss = sentence(
            "John/PROPN/NNP/3/nmod:poss 's/PART/POS/1/case dog/NOUN/NN/4/nsubj barks/VERB/VBZ/0/root",
        );
        assert_eq!(kinds(&poss)[0], "'s poss_arg12 arg1=dog arg2=John");
        assert_eq!(heads(&poss, Heads::Syn), [3, 1, 4, 0]);
    }

    #[test]
    fn a_copula_is_a_verb_of_two_arguments() {
        let is = sentence("Enju/PROPN/NNP/4/nsubj is/AUX/VBZ/4/cop a/DET/DT/4/det parser/NOUN/NN/0/root");
        let expected = ["a det_arg1 arg1=parser", "is verb_arg12 arg1=Enju arg2=parser"];
        assert_eq!(kinds(&is), expected);
        assert_eq!(heads(&is, Heads::Syn), [2, 0, 4, 2]);
        assert_eq!(heads(&is, Heads::Syn), heads(&is, Heads::Sem));
    }

    #[test]
    fn a_conjunction_stands_between_clauses_and_a_clause_modifies_its_noun() {
        let when = sentence(
            "when/SCONJ/WRB/3/mark he/PRON/PRP/3/nsubj came/VERB/VBD/6/advcl ,/PUNCT/,/6/punct she/PRON/PRP/6/nsubj left/VERB/VBD/0/root",
        );
        assert!(kinds(&when).contains(&"when conj_arg12 arg1=left arg2=came".to_string()));
        assert_eq!(heads(&when, Heads::Sem), [6, 3, 1, 6, 6, 0]);
        let wearing = sentence(
            "a/DET/DT/2/det man/NOUN/NN/6/nsubj wearing/VERB/VBG/2/acl hats/NOUN/NNS/3/obj is/AUX/VBZ/6/aux here/ADV/RB/0/root",
        );
        assert!(kinds(&wearing).contains(&"wearing verb_mod_arg12 arg2=hats mod=man".to_string()));
        assert_eq!(heads(&wearing, Heads::Sem)[..4], [2, 6, 2, 3]);
    }

    #[test]
    fn subjects_that_ud_leaves_out_are_arguments_too() {
        let wants = sentence(
            "Mary/PROPN/NNP/2/nsubj wants/VERB/VBZ/0/root to/PART/TO/4/mark dump/VERB/VB/2/xcomp John/PROPN/NNP/4/obj",
        );
        let expected = [
            "dump verb_arg12 arg1=Mary arg2=John",
            "to comp_arg1 arg1=dump",
            "wants verb_arg12 arg1=Mary arg2=to",
        ];
        assert_eq!(kinds(&wants), expected);
    }
}
