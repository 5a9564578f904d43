//! Head rules: the tables, the format of one's own, and agreement with other converters on real trees.

use crate::common::{data, data_files, tree};
use crate::generate::{Shape, trees};
use proptest::prelude::*;
use treeglot_text::Lines;
use treeglot_tree::format::{ReadTrees, conllu, conllx, ptb, tigerxml};
use treeglot_tree::transform::heads::{BuiltIn, HeadRules, Heads, to_dependencies};
use treeglot_tree::transform::strip::Strip;
use treeglot_tree::{ConBuilder, DepParse, NodeId, Roots, WordIx};

const GAPS: Shape = Shape { discontinuous: true, annotated: true };
const LABEL: &str = r"(S|NP|VP-SBJ|PP-1|CC|,|@NP|N\|P|X\^|NN|)";

fn rules(text: &str) -> Result<HeadRules, String> {
    HeadRules::read(Lines::new("my.heads", text.as_bytes())).map_err(|e| e.to_string())
}

/// `form>head/relation` of every word.
fn arcs(brackets: &str, rules: &HeadRules) -> String {
    let parse = to_dependencies(&tree(brackets), rules);
    let arc = |w| {
        format!("{}>{}/{}", parse.form(w), parse.raw_head(w).expect("every word has a head"), parse.deprel(w))
    };
    parse.words().map(arc).collect::<Vec<_>>().join(" ")
}

#[test]
fn english_verbs_head_clauses_and_prepositions_head_their_phrases() {
    let ptb = HeadRules::built_in(BuiltIn::Ptb);
    assert_eq!(
        arcs(
            "(ROOT (S (NP-SBJ-1 (DT a) (NN band)) (VP (MD will) (VP (VB play) (PP-LOC (IN in) (NP (NNP Rome))))) (. .)))",
            &ptb
        ),
        "a>2/DT-NP-NN band>3/SBJ will>0/root play>3/VP-VP-MD in>4/LOC Rome>5/NP-PP-IN .>3/punct"
    );
    assert_eq!(
        arcs("(NP (NP (DT the) (NN man) (POS 's)) (NN hat))", &ptb),
        "the>2/DT-NP-NN man>4/NP-NP-NN 's>2/POS-NP-NN hat>0/root"
    );
}

#[test]
fn conjuncts_are_a_chain_from_the_first() {
    let ptb = HeadRules::built_in(BuiltIn::Ptb);
    assert_eq!(
        arcs("(UCP (JJ red) (, ,) (JJ blue) (, ,) (CC and) (JJ black))", &ptb),
        "red>0/root ,>1/punct blue>1/conj ,>3/punct and>3/cc black>5/conj"
    );
    assert_eq!(
        arcs("(S (S (VP (VB go))) (CC and) (S (VP (VB see))) (. .))", &ptb),
        "go>0/root and>1/cc see>2/conj .>1/punct"
    );
    assert_eq!(
        arcs("(NP (DT a) (JJ green) (NN hat) (CC and) (NN apron))", &ptb),
        "a>3/DT-NP-NN green>3/JJ-NP-NN hat>0/root and>3/cc apron>4/conj"
    );
    assert_eq!(
        arcs("(S (CC But) (NP (PRP he)) (VP (VBD ran)))", &ptb),
        "But>3/CC-S-VP he>3/NP-S-VP ran>0/root",
        "a coordinator with nothing before it is no coordination"
    );
}

#[test]
fn coordinations_may_be_flat_and_commas_part_only_conjuncts_of_one_kind() {
    let flat = rules("@coordination flat CC\n@separators ,\n@punctuation ,\nNP left NN").unwrap();
    assert_eq!(
        arcs("(NP (NN a) (, ,) (NN b) (CC and) (NN c))", &flat),
        "a>0/root ,>1/punct b>1/conj and>1/cc c>1/conj"
    );
    assert_eq!(
        arcs("(NP (NN a) (, ,) (PP c) (CC and) (NN d))", &flat),
        "a>0/root ,>1/punct c>1/PP-NP-NN and>1/cc d>1/conj"
    );
}

#[test]
fn german_heads_are_the_children_with_the_function_hd() {
    let negra = HeadRules::built_in(BuiltIn::Negra);
    assert_eq!(
        arcs(
            "(S (NP-SB (ART-NK ein) (NN-NK mann)) (VAFIN-HD hat) (VP-OC (NP-OA (NN bier)) (VVPP-HD getrunken)) ($. .))",
            &negra
        ),
        "ein>2/NK mann>3/SB hat>0/root bier>5/OA getrunken>3/OC .>3/punct"
    );
    assert_eq!(
        arcs("(S (NP-SB (ART ein) (NN mann)) (VVFIN schläft) (PP (APPR auf) (ART einem) (NN sofa)))", &negra),
        "ein>2/ART-NP-NN mann>3/SB schläft>0/root auf>3/PP-S-VVFIN einem>6/ART-PP-NN sofa>4/NN-PP-APPR"
    );
}

#[test]
fn a_flat_constituent_may_hold_a_phrase_without_a_node() {
    let negra = HeadRules::built_in(BuiltIn::Negra);
    assert_eq!(
        arcs("(PP (ADV nur) (APPR auf) (ART dem) (NN rad) (KON und) (ART dem) (NN ross))", &negra),
        "nur>2/ADV-PP-APPR auf>0/root dem>4/ART-PP-NN rad>2/NN-PP-APPR und>4/cc dem>7/ART-PP-NN ross>5/conj"
    );
    assert_eq!(
        arcs("(PP (ART den) (NN weg) (APPO entlang))", &negra),
        "den>2/ART-PP-NN weg>3/NN-PP-APPO entlang>0/root"
    );
    assert_eq!(arcs("(PP (APPR auf))", &negra), "auf>0/root");
}

#[test]
fn edge_labels_are_functions_and_discontinuous_constituents_cross() {
    // (VP a _ c) with (V b) between: TIGER's order of a fronted object.
    let mut b = ConBuilder::default();
    let s = b.node("S", None);
    let v = b.node("VAFIN", Some(s));
    b.set_edge(v, "HD");
    let vp = b.node("VP", Some(s));
    b.set_edge(vp, "OC");
    let (obj, part) = (b.node("NN", Some(vp)), b.node("VVPP", Some(vp)));
    b.set_edge(obj, "OA");
    b.set_edge(part, "HD");
    let adv = b.node("ADV", Some(s));
    b.set_edge(adv, "MO");
    b.word("bier", obj);
    b.word("hat", v);
    b.word("nie", adv);
    b.word("getrunken", part);
    let parse = to_dependencies(&b.finish().unwrap(), &HeadRules::built_in(BuiltIn::Negra));
    let found: Vec<_> = parse.words().map(|w| (parse.raw_head(w).unwrap(), parse.deprel(w))).collect();
    assert_eq!(found, [(4, "OA"), (0, "root"), (2, "MO"), (2, "OC")]);
    assert!(!parse.tree(Roots::One).unwrap().is_projective());
}

#[test]
fn chinese_and_french_tables_find_the_usual_heads() {
    let ctb = HeadRules::built_in(BuiltIn::Ctb);
    assert_eq!(
        arcs("(IP (NP-SBJ (NR Zhongguo)) (VP (VV kaifa) (NP-OBJ (NN jingji))) (PU .))", &ctb),
        "Zhongguo>2/SBJ kaifa>0/root jingji>2/OBJ .>2/punct"
    );
    let ftb = HeadRules::built_in(BuiltIn::Ftb);
    assert_eq!(
        arcs(
            "(SENT (NP-SUJ (D le) (N chat)) (VN (V a) (V mangé)) (PP-MOD (P dans) (NP (N Rome))) (PONCT .))",
            &ftb
        ),
        "le>2/D-NP-N chat>4/SUJ a>4/V-VN-V mangé>0/root dans>4/MOD Rome>5/NP-PP-P .>4/punct"
    );
}

#[test]
fn groups_directions_prefixes_and_functions_of_ones_own_table_are_followed() {
    let head = |table: &str, brackets: &str| {
        let tree = tree(brackets);
        Heads::find(&tree, &rules(table).unwrap()).word(NodeId(0)).to_string()
    };
    let children = "(X (A a) (B b) (A c) (BC d) (D-HD e))";
    assert_eq!(head("X left B A", children), "2", "groups in order of priority");
    assert_eq!(head("X left B|A", children), "1", "any pattern of a group");
    assert_eq!(head("X right B|A", children), "3");
    assert_eq!(head("X right B*", children), "4", "prefix");
    assert_eq!(head("X left Z ; right A", children), "3", "second step");
    assert_eq!(head("X left Z ; left *-HD", children), "5", "function");
    assert_eq!(head("X left Z", children), "1", "the end of the last step");
    assert_eq!(head("@edge HD\nX left A", children), "5");
    assert_eq!(head("@default left *", children), "1");
    assert_eq!(head("@punctuation A\n@default left *", children), "2");
    assert_eq!(head("# comment\n\n@punctuation A B BC D\nX|Y left *", children), "1", "only punctuation");
}

#[test]
fn a_bad_table_is_an_error_with_its_line() {
    let error = |text| rules(text).unwrap_err();
    assert_eq!(error("NP left NN\nNP right NN"), "my.heads:2: the label `NP` has a rule already");
    assert_eq!(
        error("NP NN"),
        "my.heads:1: `NN` stands where a step begins; begin it with `left` or `right`"
    );
    assert_eq!(error("\nNP"), "my.heads:2: the rule is empty; give at least `left` or `right`");
    assert!(error("@punct .").starts_with("my.heads:1: `@punct` is no directive"));
    assert!(error("@coordination CC").contains("needs `chain` or `flat`"));
    assert!(error("@inner PP").starts_with("my.heads:1: `@inner` needs a label"));
}

proptest! {
    #[test]
    fn every_tree_has_dependencies(tree in trees(GAPS, "[a-z]{1,2}", LABEL)) {
        for table in [BuiltIn::Ptb, BuiltIn::Negra, BuiltIn::Ctb, BuiltIn::Ftb] {
            let rules = HeadRules::built_in(table);
            let found = Heads::find(&tree, &rules);
            let parse = to_dependencies(&tree, &rules);
            let dependencies = parse.tree(Roots::One).unwrap();
            prop_assert_eq!(&dependencies, &found.tree());
            prop_assert_eq!(dependencies.root(), found.word(tree.root()));
            for n in tree.nodes() {
                let head = found.word(n);
                let inside = |w: WordIx| tree.dominates_word(n, w);
                prop_assert!(inside(head));
                for w in tree.words_of(n).filter(|&w| w != head) {
                    prop_assert!(dependencies.head(w).is_some_and(inside), "only the head word has its head outside");
                }
            }
        }
    }
}

fn agreement(ours: impl Iterator<Item = DepParse>, theirs: impl Iterator<Item = DepParse>) -> f64 {
    let (mut equal, mut words) = (0usize, 0usize);
    for (a, b) in ours.zip(theirs) {
        assert_eq!(a.len(), b.len(), "the same sentences");
        words += a.len();
        equal += a.words().filter(|&w| a.raw_head(w) == b.raw_head(w)).count();
    }
    100.0 * equal as f64 / words as f64
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn english_heads_agree_with_lth() {
    let root = data("");
    let rules = HeadRules::built_in(BuiltIn::Ptb);
    let folder = root.join("parses/multi30k");
    for set in ["val", "test_2016_flickr", "test_2017_flickr"] {
        let trees = ptb::Reader::open(
            folder.join(format!("{set}.en.berkeley.ptb.gz")),
            ptb::BracketLayout::OnePerLine,
        )
        .unwrap();
        let ours: Vec<DepParse> = trees
            .trees()
            .map(|t| t.unwrap().map_or(DepParse::new(0), |t| to_dependencies(&t, &rules)))
            .collect();
        let theirs = |name: &str| {
            let path = folder.join(format!("{set}.en.{name}.conll.gz"));
            conllx::Reader::open(path).unwrap().trees().map(|p| p.unwrap())
        };
        let lth = agreement(ours.iter().cloned(), theirs("lth"));
        let stanford = agreement(ours.iter().cloned(), theirs("stanford-basic"));
        println!("ran on {set}: {lth:.2}% of heads as LTH, {stanford:.2}% as Stanford basic");
        assert!(lth > 97.0 && stanford > 80.0);
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn german_heads_agree_with_a_dependency_parser() {
    let root = data("");
    let rules = HeadRules::built_in(BuiltIn::Negra);
    let file = |name: &str| root.join("parses/multi30k").join(name);
    let trees =
        ptb::Reader::open(file("val.de.stanford.ptb.gz"), ptb::BracketLayout::OnePerLine).unwrap().trees();
    let ours = trees.map(|t| to_dependencies(&t.unwrap().unwrap(), &rules));
    let parzu = conllu::Reader::open(file("val.de.parzu.conllu.gz")).unwrap().trees().map(|p| p.unwrap());
    let share = agreement(ours, parzu);
    println!("ran on val: {share:.2}% of heads of the Stanford trees as ParZu's");
    assert!(share > 90.0);
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn discontinuous_gold_trees_become_non_projective() {
    let rules = HeadRules::built_in(BuiltIn::Negra);
    let (mut gaps, mut crossing) = (0, 0);
    for path in data_files("treebanks/squoia", "FOCUS_SQUOIA_DE.xml.gz") {
        for sentence in tigerxml::Reader::open(path).unwrap().trees() {
            let Some(tree) = sentence.unwrap().into_tree() else { continue };
            let projective = to_dependencies(&tree, &rules).tree(Roots::One).unwrap().is_projective();
            assert!(projective || !tree.is_continuous(), "continuous constituents cross nothing");
            gaps += usize::from(!tree.is_continuous());
            crossing += usize::from(!projective);
        }
        println!("{crossing} non-projective trees of {gaps} discontinuous ones");
        assert!(crossing * 2 > gaps);
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn gold_trees_with_functions_and_traces_become_dependencies() {
    let rules = HeadRules::built_in(BuiltIn::Ptb);
    let strip = Strip { empty: true, functions: false, top: true };
    for path in data_files("ptb", "wsj-dev.mrg.gz") {
        let trees = ptb::Reader::open(path, ptb::BracketLayout::Free).unwrap().trees().map(|t| t.unwrap());
        let mut subjects = 0;
        for tree in trees.flatten() {
            let parse = to_dependencies(&strip.apply(&tree).unwrap(), &rules);
            parse.tree(Roots::One).unwrap();
            subjects += parse.words().filter(|&w| parse.deprel(w) == "SBJ").count();
        }
        assert!(subjects > 168, "there are more subjects than sentences");
    }
}

#[test]
#[cfg_attr(not(real_data), ignore = "needs real data: set TREEGLOT_DATA")]
fn gum_heads_are_compared_with_universal_dependencies_for_information() {
    let root = data("");
    let rules = HeadRules::built_in(BuiltIn::Ptb);
    let trees = ptb::Reader::open(root.join("gum/gum-dev.ptb.gz"), ptb::BracketLayout::Free).unwrap().trees();
    let ours = trees.map(|t| to_dependencies(&t.unwrap().unwrap(), &rules));
    let theirs =
        conllu::Reader::open(root.join("gum/gum-dev.conllu.gz")).unwrap().trees().map(|p| p.unwrap());
    let share = agreement(ours, theirs);
    println!("ran on GUM dev: {share:.2}% of heads as in Universal Dependencies");
    assert!(share > 35.0, "function words are heads here, content words there");
}
