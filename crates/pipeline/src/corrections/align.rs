//! Links of a pair by word translations: the likeliest links first, each word at most once (competitive linking, Melamed 2000), then
//! what is left between linked neighbours is linked as a whole, so that words that no table knows are learnt too.

use crate::unknown::Lexicon;

/// A link must be as likely as this, its distance included.
const LEAST: f32 = 0.01;

/// How many words of a side may be linked as a whole.
const LARGEST_BLOCK: usize = 6;

/// The links of a pair.
pub(super) fn links(source: &[String], target: &[String], lexicon: &Lexicon) -> Vec<(u32, u32)> {
    let mut candidates: Vec<(f32, usize, usize)> = Vec::new();
    for (i, from) in source.iter().enumerate() {
        let known = lexicon.translations(from);
        for (j, to) in target.iter().enumerate() {
            let likely = known.get(to.as_str()).copied().unwrap_or(0.0).max(alike(from, to));
            let place = |at: usize, length: usize| (at as f32 + 0.5) / length as f32;
            let distance = (place(i, source.len()) - place(j, target.len())).abs();
            let score = likely * (-2.0 * distance).exp();
            if score >= LEAST {
                candidates.push((score, i, j));
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut of_source, mut of_target) = (vec![None; source.len()], vec![None; target.len()]);
    for (_, i, j) in candidates {
        if of_source[i].is_none() && of_target[j].is_none() {
            (of_source[i], of_target[j]) = (Some(j), Some(i));
        }
    }
    link_names(source, target, &mut of_source, &mut of_target);
    let linked = |(i, j): (usize, &Option<usize>)| j.map(|j| (i as u32, j as u32));
    let mut links: Vec<(u32, u32)> = of_source.iter().enumerate().filter_map(linked).collect();
    links.extend(blocks(&of_source, &of_target));
    links.sort_unstable();
    links
}

/// How much alike two words are: names, numbers and signs are written alike in many languages.
fn alike(a: &str, b: &str) -> f32 {
    if a == b {
        return if a.chars().any(char::is_alphanumeric) { 0.9 } else { 0.6 };
    }
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let shared = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let longest = a.chars().count().max(b.chars().count());
    if shared >= 4 && 2 * shared >= longest { 0.5 * shared as f32 / longest as f32 } else { 0.0 }
}

/// Links the only word with a capital that is left on one side with the only one on the other: a name that no table knows.
fn link_names(
    source: &[String],
    target: &[String],
    of_source: &mut [Option<usize>],
    of_target: &mut [Option<usize>],
) {
    let only = |words: &[String], of: &[Option<usize>]| {
        let mut left =
            (0..words.len()).filter(|&at| of[at].is_none() && words[at].starts_with(char::is_uppercase));
        left.next().filter(|_| left.next().is_none())
    };
    if let (Some(i), Some(j)) = (only(source, of_source), only(target, of_target)) {
        (of_source[i], of_target[j]) = (Some(j), Some(i));
    }
}

/// Links of runs without links on both sides that stand between the same links.
fn blocks(of_source: &[Option<usize>], of_target: &[Option<usize>]) -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    let mut at = 0;
    while at < of_source.len() {
        if of_source[at].is_some() {
            at += 1;
            continue;
        }
        let end = (at..of_source.len()).find(|&i| of_source[i].is_some()).unwrap_or(of_source.len());
        let after_left = at.checked_sub(1).map_or(Some(0), |left| of_source[left].map(|j| j + 1));
        let before_right = if end == of_source.len() { Some(of_target.len()) } else { of_source[end] };
        let free_from = |j: usize| (j..of_target.len()).take_while(|&j| of_target[j].is_none()).count();
        let free_before = |j: usize| (0..j).rev().take_while(|&j| of_target[j].is_none()).count();
        // The run right after what the left neighbour is linked to, or right before what the right one is.
        let run = after_left
            .map(|start| start..start + free_from(start))
            .filter(|run| !run.is_empty())
            .or_else(|| before_right.map(|stop| stop - free_before(stop)..stop))
            .filter(|run| !run.is_empty() && run.len() <= LARGEST_BLOCK && end - at <= LARGEST_BLOCK);
        if let Some(run) = run {
            links.extend((at..end).flat_map(|i| run.clone().map(move |j| (i as u32, j as u32))));
        }
        at = end;
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_alike_are_linked_and_what_is_left_between_them_as_a_whole() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_string).collect() };
        let none = Lexicon::new(Vec::new());
        let found = links(&words("Anna gibt Peter 5"), &words("Anna is giving Peter 5"), &none);
        assert_eq!(found, [(0, 0), (1, 1), (1, 2), (2, 3), (3, 4)]);
        let found = links(&words("sein Spitz bellt ."), &words("his Pomeranian is barking ."), &none);
        assert_eq!(found, [(0, 0), (1, 1), (2, 2), (2, 3), (3, 4)]);
    }
}
