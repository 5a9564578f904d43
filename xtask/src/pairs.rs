//! Twelve language pairs as a new user would have them: `treeglot train` with two raw files and nothing else, then the translation of a
//! test set and its scores, as a table.

use crate::output;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A pair: its name, and the files to train with and to test with, below the data's folder.
struct Pair {
    name: &'static str,
    train: [&'static str; 2],
    test: [&'static str; 2],
}

const fn pair(name: &'static str, train: [&'static str; 2], test: [&'static str; 2]) -> Pair {
    Pair { name, train, test }
}

const PAIRS: [Pair; 12] = [
    pair(
        "de-en captions",
        ["multi30k/raw/train.de", "multi30k/raw/train.en"],
        ["multi30k/raw/test_2016_flickr.de", "multi30k/raw/test_2016_flickr.en"],
    ),
    pair(
        "en-fr captions",
        ["multi30k/raw/train.en", "multi30k/raw/train.fr"],
        ["multi30k/raw/test_2016_flickr.en", "multi30k/raw/test_2016_flickr.fr"],
    ),
    pair(
        "en-cs captions",
        ["multi30k/raw/train.en", "multi30k/raw/train.cs"],
        ["multi30k/raw/test_2016_flickr.en", "multi30k/raw/test_2016_flickr.cs"],
    ),
    pair(
        "de-en speeches",
        ["europarl/de-en/train.de.gz", "europarl/de-en/train.en.gz"],
        ["europarl/de-en/test.de", "europarl/de-en/test.en"],
    ),
    pair(
        "en-fr speeches",
        ["europarl/fr-en/train.en.gz", "europarl/fr-en/train.fr.gz"],
        ["europarl/fr-en/test.en", "europarl/fr-en/test.fr"],
    ),
    pair(
        "zh-en everyday",
        ["zh-en/tatoeba/train.zh", "zh-en/tatoeba/train.en"],
        ["zh-en/tatoeba/test.zh", "zh-en/tatoeba/test.en"],
    ),
    pair(
        "en-zh everyday",
        ["zh-en/tatoeba/train.en", "zh-en/tatoeba/train.zh"],
        ["zh-en/tatoeba/test.en", "zh-en/tatoeba/test.zh"],
    ),
    pair("ja-en everyday", ["ja-en/train.ja", "ja-en/train.en"], ["ja-en/test.ja", "ja-en/test.en"]),
    pair(
        "es-gn",
        ["americas/es-gn/train.es", "americas/es-gn/train.gn"],
        ["americas/es-gn/dev.es", "americas/es-gn/dev.gn"],
    ),
    pair(
        "es-aym",
        ["americas/es-aym/train.es", "americas/es-aym/train.aym"],
        ["americas/es-aym/dev.es", "americas/es-aym/dev.aym"],
    ),
    pair(
        "es-nah",
        ["americas/es-nah/train.es", "americas/es-nah/train.nah"],
        ["americas/es-nah/dev.es", "americas/es-nah/dev.nah"],
    ),
    pair(
        "es-shp",
        ["americas/es-shp/train.es", "americas/es-shp/train.shp"],
        ["americas/es-shp/dev.es", "americas/es-shp/dev.shp"],
    ),
];

/// How many training pairs are taken where nobody says otherwise.
const LIMIT: usize = 2_000;

/// Trains, translates and scores all pairs of the data's folder with a binary, and prints the table; whether all went well. Arguments:
/// the binary, the most training pairs, and the names of pairs if not all are wanted.
pub fn run(args: &[String]) -> bool {
    let Some(data) = std::env::var_os("TREEGLOT_DATA").map(PathBuf::from) else {
        eprintln!("pairs: TREEGLOT_DATA must name the folder of the data");
        return false;
    };
    let binary = args.first().map_or_else(crate::release_binary, PathBuf::from);
    let Some(binary) = binary.to_str() else {
        eprintln!("pairs: the path of the binary is not text");
        return false;
    };
    let Some(limit) = args.get(1).map_or(Some(LIMIT), |limit| limit.parse().ok()) else {
        eprintln!("usage: cargo xtask pairs [BINARY [MOST-PAIRS [NAME...]]]");
        return false;
    };
    let wanted = args.get(2..).unwrap_or_default();
    println!(
        "| pair | training pairs | BLEU | chrF | length | training and translation |\n|---|---|---|---|---|---|"
    );
    let chosen =
        PAIRS.iter().filter(|pair| wanted.is_empty() || wanted.iter().any(|name| pair.name.contains(name)));
    let mut passed = true;
    for pair in chosen {
        match row(pair, &data, binary, limit) {
            Ok(row) => println!("{row}"),
            Err(why) => {
                passed = false;
                println!("| {} | failed: {why} |", pair.name);
            }
        }
    }
    passed
}

fn row(pair: &Pair, data: &Path, binary: &str, limit: usize) -> Result<String, String> {
    let folder = std::env::temp_dir().join(format!("treeglot-pairs-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut files = Vec::new();
    let mut lines = 0;
    for file in pair.train {
        let name = Path::new(file.trim_end_matches(".gz")).file_name().unwrap_or_default();
        lines = cut(&data.join(file), &folder.join(name), limit)?;
        files.push(text(&folder.join(name)));
    }
    let (bundle, out) = (text(&folder.join("bundle")), text(&folder.join("out")));
    let [test, reference] = pair.test.map(|file| text(&data.join(file)));
    let start = Instant::now();
    ran(binary, &["train", "-q", "--src", &files[0], "--tgt", &files[1], "-o", &bundle])?;
    ran(binary, &["translate", "-q", "-m", &bundle, &test, "-o", &out])?;
    let seconds = start.elapsed().as_secs_f64();
    let metrics = ["eval", "--metrics", "bleu,chrf", "--json", "--ref", &reference, &out];
    let scores = output(binary, &metrics).ok_or("it cannot be scored")?;
    let scores: serde_json::Value = serde_json::from_str(scores.trim()).map_err(|e| e.to_string())?;
    let characters = |file: &str| {
        std::fs::read_to_string(file).map(|text| text.chars().filter(|c| !c.is_whitespace()).count())
    };
    let length = characters(&out)
        .and_then(|own| Ok(own as f64 / characters(&reference)? as f64))
        .map_err(|e| e.to_string())?;
    let _ = std::fs::remove_dir_all(&folder);
    let score = |name: &str| scores[name].as_f64().unwrap_or(f64::NAN);
    Ok(format!(
        "| {} | {lines} | {:.2} | {:.2} | {length:.2} | {seconds:.0} s |",
        pair.name,
        score("bleu"),
        score("chrf")
    ))
}

fn ran(binary: &str, args: &[&str]) -> Result<(), String> {
    let run = Command::new(binary).args(args).output().map_err(|e| format!("{binary}: {e}"))?;
    if run.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&run.stderr).trim().replace('\n', "; "))
    }
}

/// Writes the first lines of a file, packed or not; how many.
fn cut(from: &Path, to: &Path, limit: usize) -> Result<usize, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", from.display());
    let packed = from.extension().is_some_and(|ending| ending == "gz");
    let mut child = Command::new(if packed { "gzip" } else { "cat" });
    let child = if packed { child.arg("-dc") } else { &mut child };
    let mut child = child.arg(from).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut out = std::io::BufWriter::new(std::fs::File::create(to).map_err(failed)?);
    let lines = BufReader::new(child.stdout.take().ok_or("no pipe")?).lines().take(limit);
    let mut count = 0;
    for line in lines {
        writeln!(out, "{}", line.map_err(failed)?).map_err(failed)?;
        count += 1;
    }
    let _ = child.kill();
    let _ = child.wait();
    out.flush().map_err(failed)?;
    Ok(count)
}
