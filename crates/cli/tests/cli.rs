//! Golden tests of the command line: each file of `tests/cmd` is a session with the output it must give.

#[test]
fn commands_print_what_the_golden_files_say() {
    trycmd::TestCases::new().case("tests/cmd/*.md").case("tests/cmd/*.toml");
}
