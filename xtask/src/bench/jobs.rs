//! The jobs: what we do, and what peers do for the same result. Commands are run by bash in a temporary folder, with `$T` our
//! binary, `$D` the data, and each program of a peer in the variable of its name; all work on one thread.

/// Another toolkit at a job.
pub struct Contender {
    pub name: &'static str,
    /// Its programs, which must have been found.
    pub needs: &'static [&'static str],
    /// What it needs beforehand and is not measured.
    pub before: &'static str,
    pub command: &'static str,
}

/// A job.
pub struct Job {
    pub name: &'static str,
    pub told: &'static str,
    /// Lays the files out that all contenders read; not measured.
    pub before: &'static str,
    pub ours: &'static str,
    pub peers: &'static [Contender],
    /// Compares results where all contenders ran; its output stands in the table.
    pub check: Option<&'static str>,
}

/// All jobs, in the order of the table.
pub const JOBS: [Job; 8] = [
    Job {
        name: "tokenize",
        told: "tokenise 20,000 lines of speeches",
        before: "zcat $D/europarl/de-en/train.en.gz 2>/dev/null | head -20000 > speeches.en || true",
        ours: "$T tokenize --lang en --threads 1 -q speeches.en -o ours.tok",
        peers: &[Contender {
            name: "Moses",
            needs: &["tokenizer.perl"],
            before: "",
            command: "perl $tokenizer_perl -q -l en < speeches.en > peer.tok",
        }],
        check: Some(
            "echo \"$(diff ours.tok peer.tok | grep -c '^<' || true) of $(wc -l < ours.tok) lines differ\"",
        ),
    },
    Job {
        name: "align",
        told: "align 29,000 pairs of captions both ways",
        before: "cp $D/multi30k/tok/train.{de,en} . && paste -d '|' train.de train.en | sed 's/|/ ||| /' > both",
        ours: "$T align --threads 1 -q train.de train.en -o ours.links",
        peers: &[
            Contender {
                name: "fast_align",
                needs: &["fast_align", "atools"],
                before: "",
                command: "$fast_align -i both -d -o -v > f 2>/dev/null; $fast_align -i both -d -o -v -r > r 2>/dev/null; \
                          $atools -i f -j r -c grow-diag-final-and > fast.links",
            },
            Contender {
                name: "eflomal",
                needs: &["eflomal-align"],
                before: "",
                command: "rm -f ef er; $eflomal_align -s train.de -t train.en -f ef -r er 2>/dev/null; \
                          $T align symmetrize --how grow-diag-final-and ef er > eflomal.links",
            },
        ],
        check: None,
    },
    Job {
        name: "lm-estimate",
        told: "estimate a 5-gram model of 4.76 million words",
        before: "zcat $D/europarl/fr-en/train.en.gz > lm.en",
        ours: "$T lm build --order 5 --threads 1 -q lm.en -o ours.arpa",
        peers: &[Contender {
            name: "KenLM",
            needs: &["lmplz"],
            before: "",
            command: "$lmplz -o 5 -S 4G --text lm.en --arpa ken.arpa 2>/dev/null",
        }],
        check: Some("echo \"$(wc -l < ours.arpa) and $(wc -l < ken.arpa) lines\""),
    },
    Job {
        name: "lm-query",
        told: "score 200,000 lines by it, from hash tables",
        before: "test -s lm.en || zcat $D/europarl/fr-en/train.en.gz > lm.en; zcat $D/europarl/de-en/train.en.gz > query.en; \
                 $T lm build --order 5 -q lm.en --binary ours.lm",
        ours: "$T lm query --threads 1 ours.lm query.en > ours.scores 2> ours.perplexity",
        peers: &[Contender {
            name: "KenLM",
            needs: &["lmplz", "build_binary", "query"],
            before: "$lmplz -o 5 -S 4G --text lm.en --arpa ken.arpa 2>/dev/null; $build_binary probing ken.arpa ken.lm 2>/dev/null",
            command: "$query -v summary ken.lm < query.en > ken.perplexity 2>/dev/null",
        }],
        check: Some(
            "echo \"$(grep -ho 'including OOVs.*' ken.perplexity | head -1); ours $(tail -2 ours.perplexity | tr '\\n' ' ')\"",
        ),
    },
    Job {
        name: "phrase-table",
        told: "phrases of 29,000 pairs to a table",
        before: "cp $D/multi30k/tok/train.{de,en} . && zcat $D/multi30k/train.de-en.fast_align.gdfa.gz > links && \
                 $T extract phrase --src train.de --tgt train.en --links links --lex lex -q > /dev/null",
        ours: "$T extract phrase --src train.de --tgt train.en --links links --threads 1 -q --counts-out p.counts; \
               $T score --preset moses --threads 1 -q --from p.counts --lex lex -o ours.phrases",
        peers: &[Contender {
            name: "Moses",
            needs: &["extract", "score", "consolidate"],
            before: "",
            command: "export LC_ALL=C; $extract train.en train.de links m 7 > /dev/null 2>&1; sort m > m.s; sort m.inv > m.i; \
                      $score m.s lex.f2e half.f2e > /dev/null 2>&1; $score m.i lex.e2f half.e2f --Inverse > /dev/null 2>&1; \
                      sort half.e2f > half.e2f.s; $consolidate half.f2e half.e2f.s moses.phrases > /dev/null 2>&1",
        }],
        check: Some(
            "echo \"$($T table dump -q ours.phrases | wc -l) and $(wc -l < moses.phrases) phrase pairs\"",
        ),
    },
    Job {
        name: "hiero-table",
        told: "hierarchical rules of 29,000 pairs to a table",
        before: "cp $D/multi30k/tok/train.{de,en} . && zcat $D/multi30k/train.de-en.fast_align.gdfa.gz > links && \
                 $T extract phrase --src train.de --tgt train.en --links links --lex lex -q > /dev/null",
        ours: "$T extract hiero --preset moses --src train.de --tgt train.en --links links --threads 1 -q --counts-out h.counts; \
               $T score --preset moses --threads 1 -q --from h.counts --lex lex -o ours.rules",
        peers: &[Contender {
            name: "Moses",
            needs: &["extract-rules", "score", "consolidate"],
            before: "",
            command: "export LC_ALL=C; $extract_rules train.en train.de links m --MaxSpan 10 > /dev/null 2>&1; sort m > m.s; sort m.inv > m.i; \
                      $score m.s lex.f2e half.f2e --Hierarchical > /dev/null 2>&1; \
                      $score m.i lex.e2f half.e2f --Hierarchical --Inverse > /dev/null 2>&1; sort half.e2f > half.e2f.s; \
                      $consolidate half.f2e half.e2f.s moses.rules --Hierarchical > /dev/null 2>&1",
        }],
        check: Some("echo \"$($T table stats ours.rules | head -1); $(wc -l < moses.rules) rules of Moses\""),
    },
    Job {
        name: "hiero-search",
        told: "hierarchical search, 200 sentences, 1,000 pops",
        before: "printf '%s\\n' 'LM0= 0.164434' 'WordPenalty0= -0.335698' 'PhrasePenalty0= 0.028576' \
                 'TranslationModel0= 0.0627337 0.0712221 0.19126 0.0747989' 'TranslationModel1= 0.0712773' 'UnknownWordPenalty0= 1' > weights; \
                 rm -rf hiero; $T bundle make --model hiero --table $D/moses/hiero/rule-table.gz --lm $D/moses/train.en.5.arpa.gz --weights weights -o hiero",
        ours: "$T translate -m hiero --tokenized --threads 1 -q --pop-limit 1000 --nbest 1 $D/moses/input.de > ours.nbest",
        peers: &[Contender {
            name: "Moses",
            needs: &["moses_chart"],
            before: "zcat $D/moses/train.en.5.arpa.gz > lm.arpa; zcat $D/moses/hiero/rule-table.gz > rule-table; printf '%s\\n' \
                     '[input-factors]' 0 '[mapping]' '0 T 0' '1 T 1' '[cube-pruning-pop-limit]' 1000 '[non-terminals]' X '[search-algorithm]' 3 '[inputtype]' 3 \
                     '[max-chart-span]' 20 1000 '[feature]' UnknownWordPenalty WordPenalty PhrasePenalty \
                     \"PhraseDictionaryMemory name=TranslationModel0 num-features=4 path=$PWD/rule-table input-factor=0 output-factor=0 table-limit=20\" \
                     \"PhraseDictionaryMemory name=TranslationModel1 num-features=1 path=$D/moses/hiero/glue-grammar input-factor=0 output-factor=0 tuneable=true\" \
                     \"KENLM name=LM0 factor=0 path=$PWD/lm.arpa order=5\" '[weight]' \"$(cat weights)\" > hiero.ini",
            command: "$moses_chart -f hiero.ini -threads 1 -n-best-list moses.nbest 1 distinct < $D/moses/input.de > /dev/null 2>&1",
        }],
        check: Some(
            "echo \"mean scores $(awk '{ s += $NF } END { print s / NR }' ours.nbest) and $(awk '{ s += $NF } END { print s / NR }' moses.nbest)\"",
        ),
    },
    Job {
        name: "bleu",
        told: "BLEU of 50,000 lines",
        before: "zcat $D/europarl/de-en/train.en.gz 2>/dev/null | head -50000 > ref.en || true; \
                 awk '{ $(NR % NF + 1) = \"x\"; $((NR * 7) % NF + 1) = \"y\"; print }' ref.en > hyp.en",
        ours: "$T eval --ref ref.en hyp.en --metrics bleu --threads 1 > ours.score",
        peers: &[Contender {
            name: "sacreBLEU",
            needs: &["sacrebleu"],
            before: "",
            command: "$sacrebleu ref.en -i hyp.en -m bleu -b --force -w 4 > peer.score 2>/dev/null",
        }],
        check: Some("echo \"$(cat peer.score); $(tail -1 ours.score)\""),
    },
];
