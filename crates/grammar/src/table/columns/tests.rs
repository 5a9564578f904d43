use super::*;
use proptest::prelude::*;

const TAG: Tag = Tag::new("numbers");

fn with_section<T>(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    read: impl FnOnce(&MappedFile) -> T,
) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("column");
    let mut out = MappedWriter::create(&path, Tag::new("test"), 1, &[TAG]).unwrap();
    out.stream(TAG, |out| write(out)).unwrap();
    out.finish().unwrap();
    read(&MappedFile::open(&path, Tag::new("test"), 1).unwrap())
}

fn narrow(values: &[u32], shift: u32) -> Vec<u32> {
    values.iter().map(|value| value >> shift).collect()
}

fn written<S: Section>(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> S {
    with_section(write, |file| S::open(file, TAG).unwrap())
}

fn split(values: &[u32], common: &Common) -> Split {
    let place = |value: u32| match common.listed.iter().position(|&listed| listed == value) {
        Some(at) => at as u64,
        None => common.listed.len() as u64 + u64::from(value),
    };
    let places = || values.iter().map(|&value| place(value));
    written(|out| Split::write(out, common, (values.len(), 32), places))
}

fn times(values: &[u32]) -> Vec<(u32, u32)> {
    let mut times = std::collections::BTreeMap::new();
    values.iter().for_each(|&value| *times.entry(value).or_insert(0) += 1);
    times.into_iter().collect()
}

proptest! {
    #[test]
    fn packed_numbers_come_back(values in proptest::collection::vec(any::<u32>(), 0..100), shift in 0u32..32) {
        let values = narrow(&values, shift);
        let bits = width(values.iter().copied().max().unwrap_or(0));
        let column: Packed =
            written(|out| Packed::write(out, bits, values.len(), values.iter().copied().map(Ok)));
        prop_assert_eq!(column.len(), values.len());
        prop_assert_eq!((0..values.len()).map(|i| column.get(i)).collect::<Vec<_>>(), values);
        prop_assert_eq!(column.get(column.len()), 0);
    }

    #[test]
    fn ascending_numbers_come_back_one_by_one_and_with_the_next(
        values in proptest::collection::vec(any::<u32>(), 0..300), shift in 0u32..32
    ) {
        let mut values = narrow(&values, shift);
        values.sort_unstable();
        let column: Ascending =
            written(|out| Ascending::write(out, values.len(), values.iter().copied().map(Ok)));
        prop_assert_eq!(column.len(), values.len());
        for (i, &value) in values.iter().enumerate() {
            prop_assert_eq!(column.get(i), value);
            prop_assert_eq!(column.range(i), (value, values.get(i + 1).copied().unwrap_or(0)));
        }
        prop_assert_eq!(column.get(values.len()), 0);
    }

    #[test]
    fn marked_rows_are_numbered(marks in proptest::collection::vec(any::<bool>(), 0..400)) {
        let column: Marks = written(|out| Marks::write(out, marks.len(), marks.iter().copied()));
        let mut before = 0;
        for (i, &mark) in marks.iter().enumerate() {
            prop_assert_eq!(column.find(i), (mark, before));
            before += u32::from(mark);
        }
        prop_assert_eq!(column.get(marks.len()), None);
    }

    #[test]
    fn split_numbers_come_back_whichever_are_listed(
        values in proptest::collection::vec(any::<u32>(), 0..300), shift in 24u32..32, listed in 0usize..20
    ) {
        let values = narrow(&values, shift);
        let numbers: Vec<u32> = times(&values).into_iter().map(|(number, _)| number).take(listed).collect();
        let rare = values.iter().filter(|value| !numbers.contains(value)).count();
        for common in [Common { listed: numbers, rare }, Common::choose(times(&values), MOST, |_| 8)] {
            let column = split(&values, &common);
            prop_assert_eq!(column.len(), values.len());
            prop_assert_eq!((0..values.len()).map(|i| column.get(i)).collect::<Vec<_>>(), &values[..]);
        }
    }

    #[test]
    fn ascending_rows_are_found_whether_their_number_is_listed_or_not(
        parts in proptest::collection::vec(proptest::collection::btree_set(0u32..30, 0..20), 1..20),
        listed in proptest::option::of(0u32..30),
    ) {
        let values: Vec<u32> = parts.iter().flatten().copied().collect();
        let rare = values.iter().filter(|&&value| Some(value) != listed).count();
        let column = split(&values, &Common { listed: listed.into_iter().collect(), rare });
        let mut low = 0;
        for part in &parts {
            let high = low + part.len() as u32;
            for wanted in 0..31 {
                let place = part.iter().position(|&value| value == wanted).map(|at| low + at as u32);
                prop_assert_eq!(column.position((low, high), wanted), place);
            }
            low = high;
        }
    }

    #[test]
    fn damaged_columns_are_errors_or_give_numbers(
        values in proptest::collection::vec(0u32..9, 1..300), at: prop::sample::Index, byte: u8
    ) {
        let mut bytes = Vec::new();
        let common = Common { listed: vec![3], rare: 0 };
        let rare = values.iter().filter(|&&value| value != 3).count();
        let places = || values.iter().map(|&value| if value == 3 { 0 } else { 1 + u64::from(value) });
        Split::write(&mut bytes, &Common { rare, ..common }, (values.len(), 4), places).unwrap();
        Ascending::write(&mut bytes, values.len(), (0..values.len() as u32).map(Ok)).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        with_section(|out| out.write_all(&bytes), |file| {
            let mut parts = Parts::open(file, TAG).unwrap();
            let Ok(split) = Split::read(&mut parts) else { return };
            let Ok(ascending) = Ascending::read(&mut parts) else { return };
            for i in 0..values.len() + 100 {
                split.get(i);
                split.position((i as u32, 2 * i as u32), values[0]);
                ascending.range(i);
            }
        });
    }
}

#[test]
fn what_nearly_all_rows_have_is_listed_and_what_few_have_is_not() {
    let mut values = vec![7; 10_000];
    values.extend(0..1000);
    let common = Common::choose(times(&values), MOST, |_| 20);
    assert_eq!((common.listed, common.rare), (vec![7], 999));
    let distinct: Vec<u32> = (0..5000).collect();
    assert_eq!(Common::choose(times(&distinct), MOST, |_| 13), Common { listed: Vec::new(), rare: 5000 });
    let few: Vec<u32> = (0..9000).map(|n| n % 200).collect();
    assert_eq!(Common::choose(times(&few), MOST, |_| 32).rare, 0);
}

#[test]
fn more_rows_than_have_numbers_are_refused_even_if_they_take_no_bits() {
    let open = |len: u64| {
        let bytes = [[0; 8], len.to_le_bytes(), [0; 8]].concat();
        with_section(|out| out.write_all(&bytes), |file| Packed::open(file, TAG).is_ok())
    };
    assert!(open(u64::from(u32::MAX)) && !open(1 << 32) && !open(u64::MAX));
}
