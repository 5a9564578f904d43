//! Which source word a target word is affiliated with (Devlin et al. 2014, section 2.1): the middle one of those it is linked to;
//! without links, that of the nearest word with links, of two as near the one to the right.

/// The position of a source word.
pub type Affiliation = u32;

/// The middle one of the source words that a target word is linked to, of two the left one; `None` without any.
pub fn linked_to(sources: &mut [u32]) -> Option<Affiliation> {
    sources.sort_unstable();
    sources.get(sources.len().checked_sub(1)? / 2).copied()
}

/// The affiliations of words, given what each is linked to; of all words `otherwise` where no word has a link.
pub fn affiliations(
    linked: &[Option<Affiliation>],
    otherwise: Affiliation,
) -> impl Iterator<Item = Affiliation> {
    (0..linked.len()).map(move |at| {
        let near = |distance: usize| {
            let right = linked.get(at + distance).copied().flatten();
            right.or_else(|| at.checked_sub(distance).and_then(|left| linked[left]))
        };
        (0..linked.len()).find_map(near).unwrap_or(otherwise)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_links_the_middle_one_counts() {
        assert_eq!(linked_to(&mut []), None);
        assert_eq!(linked_to(&mut [7]), Some(7));
        assert_eq!(linked_to(&mut [7, 2]), Some(2));
        assert_eq!(linked_to(&mut [9, 2, 4]), Some(4));
    }

    #[test]
    fn words_without_links_take_the_nearest_to_the_right_first() {
        let of = |linked: &[Option<u32>]| affiliations(linked, 9).collect::<Vec<_>>();
        assert_eq!(of(&[None, Some(1), None, Some(3), None, None]), [1, 1, 3, 3, 3, 3]);
        assert_eq!(of(&[Some(1), None, None, Some(3)]), [1, 1, 3, 3]);
        assert_eq!(of(&[None, None]), [9, 9]);
    }
}
