//! Odd lines through every model and every form of output: on any number of threads the output is the same, and it has a
//! line, a list or an object for each line of the input.

use super::cases::Case;
use super::process::{Launch, Verdict};
use super::rng::Rng;
use super::stand::Stand;
use std::fmt::Write as _;
use std::fs;

/// Forms of output, and whether each input line is one line of it.
const FORMS: [(&[&str], bool); 4] =
    [(&[], true), (&["--nbest", "3"], false), (&["--explain"], false), (&["--json", "--explain"], true)];

const LINES: [&str; 18] = [
    "",
    "   \t ",
    "die",
    "die Frau sieht das Haus .",
    "[Bild] ||| [X] [X][X] |",
    "&#91; &amp; &lt; &#124;&#124;&#124; &",
    "<s> </s> <unk> <root> <left>",
    "das\u{7}Haus\u{1b}[31m ist\u{0}rot",
    "عربي עברית हिन्दी 日本語 ไทย 한국어",
    "\u{202e}e\u{301}\u{200d}\u{feff}\u{a0}x",
    "👩‍👩‍👧‍👦 🏳️‍🌈",
    "( ) -LRB- -RRB- {{Heads 1 2}}",
    "LM0= 0.5 TranslationModel0= nan",
    "0 ||| the house ||| LM0= -1 ||| -2",
    "/ \\ * ? $HOME `x` \"'",
    "die die die die die die die die die die die die die die die die die die die die die die die die",
    "_ - -- . .. ...",
    "Frau\u{2028}Mann\u{85}Kind",
];

pub fn lines(stand: &Stand, case: u64, random: &mut Rng) -> Case {
    let (system, dir) = (random.choose(&stand.systems), stand.fresh(case)?);
    let (form, one_each) = *random.choose(&FORMS);
    let mut chosen: Vec<String> =
        (0..1 + random.below(8)).map(|_| (*random.choose(&LINES)).to_string()).collect();
    if random.below(30) == 0 {
        chosen.push("Haus ".repeat(100_000));
    }
    let mut args: Vec<String> = ["translate", "-m"].map(String::from).into();
    args.push(system.folder.to_string_lossy().into_owned());
    args.extend(form.iter().map(ToString::to_string));
    for kind in system.trees {
        chosen.retain(|line| {
            line.split_whitespace().next().is_some()
                && !line.contains(['(', ')', '<', '&', '\u{0}', '\u{85}', '\u{2028}', '\u{a0}'])
        });
        let (option, file) =
            (format!("--src-{kind}"), format!("trees.{}", if *kind == "dep" { "conllu" } else { "ptb" }));
        let trees: String =
            chosen.iter().map(|line| if *kind == "dep" { chain(line) } else { flat(line) }).collect();
        fs::write(dir.join(&file), trees)?;
        args.extend([option, file]);
    }
    if chosen.is_empty() {
        chosen.push("die".to_string());
        return Ok(("nothing to translate".to_string(), Verdict::Equal));
    }
    let input = dir.join("input");
    let mut bytes = chosen.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
    let broken = system.trees.is_empty() && random.below(10) == 0;
    if broken {
        bytes.extend_from_slice(b"nicht \xff\xfe UTF-8\n");
    }
    fs::write(&input, bytes)?;
    args.push("input".to_string());
    let told = format!("{} ({} lines in {})", args.join(" "), chosen.len(), dir.display());
    let threads = |n: &str, name: &str| {
        let args = [args.as_slice(), &["--threads".to_string(), n.to_string()]].concat();
        Launch { args, ..Launch::new(&stand.binary, &dir, &[]) }.start(name)?.finish()
    };
    let (one, three) = (threads("1", "one")?, threads("3", "three")?);
    let outputs = [fs::read(&one.stdout)?, fs::read(&three.stdout)?];
    let verdict = one.judge(|| match outputs {
        _ if broken => Err("accepts a line that is not UTF-8".to_string()),
        _ if three.fault().is_some() || outputs[0] != outputs[1] => {
            Err("on three threads it goes another way".to_string())
        }
        _ if one_each && outputs[0].iter().filter(|&&byte| byte == b'\n').count() != chosen.len() => {
            Err(format!("{} lines in, another number out", chosen.len()))
        }
        _ => Ok(()),
    });
    Ok(match verdict {
        Verdict::Refused if !broken => (told, Verdict::Fault(format!("refuses: {}", one.stderr.trim()))),
        verdict => (told, verdict),
    })
}

/// A dependency tree in which each word depends on the one before.
fn chain(line: &str) -> String {
    let mut text = String::new();
    for (k, word) in line.split_whitespace().enumerate() {
        let _ = writeln!(
            text,
            "{}\t{word}\t_\tX\t_\t_\t{k}\t{}\t_\t_",
            k + 1,
            if k == 0 { "root" } else { "dep" }
        );
    }
    text + "\n"
}

/// A constituency tree in which all words stand side by side.
fn flat(line: &str) -> String {
    let words: String = line.split_whitespace().map(|word| format!(" (X {word})")).collect();
    format!("(S{words})\n")
}
