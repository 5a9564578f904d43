//! What clients ask, and what they get.

use crate::common::{bundles, serve, serve_all};
use serde_json::{Value, json};
use treeglot_serve::ServeSettings;

#[test]
fn text_is_translated_as_clients_of_libretranslate_ask_for_it() {
    let server = serve_all(ServeSettings::default());
    let answer = server.post("/translate", &json!({ "q": "das Haus", "source": "de", "target": "en" }));
    assert_eq!((answer.status, answer.json()), (200, json!({ "translatedText": "The house" })));

    let form = b"q=das+Haus&source=de&target=en&format=text&alternatives=2";
    let answer =
        server.ask("POST", "/translate", "Content-Type: application/x-www-form-urlencoded\r\n", form).json();
    assert_eq!(answer["translatedText"], "The house");
    assert_eq!(answer["alternatives"].as_array().map(Vec::len), Some(2), "{answer}");

    let list =
        json!({ "q": ["das Haus", "", "der Hund"], "source": "auto", "target": "en", "alternatives": 1 });
    let answer = server.post("/translate", &list).json();
    assert_eq!(answer["translatedText"], json!(["The house", "", "The dog"]));
    assert_eq!(answer["detectedLanguage"][0]["language"], "de");
    assert_eq!(answer["alternatives"][1], json!([]));
}

#[test]
fn lines_and_markup_stay_where_they_are() {
    let server = serve_all(ServeSettings::default());
    let ask = |q: &str, format: &str| {
        let answer =
            server.post("/translate", &json!({ "q": q, "source": "de", "target": "en", "format": format }));
        answer.json()["translatedText"].as_str().unwrap().to_string()
    };
    assert_eq!(ask("das Haus\n\n\nder Hund\n", "text"), "The house\n\n\nThe dog\n");
    let page = "<p id='a'>das Haus</p>\n<script>der Hund</script><br/> der&nbsp;Hund &amp; <!-- das -->";
    let expected = "<p id='a'>The house</p>\n<script>der Hund</script><br/> The dog &amp; <!-- das -->";
    assert_eq!(ask(page, "html"), expected);
}

#[test]
fn systems_are_chosen_and_combined_by_name() {
    let server = serve_all(ServeSettings::default());
    let ask = |system: &str| {
        server
            .post("/translate", &json!({ "q": "das Haus", "source": "de", "target": "en", "system": system }))
    };
    for system in ["phrase", "hiero", "phrase+hiero", "hiero+phrase"] {
        assert_eq!(ask(system).json()["translatedText"], "The house", "{system}");
    }
    assert!(ask("none").error(404).contains("`none`"));
    assert!(ask("back").error(400).contains("translates en to de"));
    assert!(ask("phrase+back").error(400).contains("different languages"));
    let systems = server.get("/systems").json();
    let names: Vec<&str> =
        systems.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["phrase", "hiero", "back"]);
}

#[test]
fn languages_are_listed_and_told_apart() {
    let server = serve_all(ServeSettings::default());
    assert_eq!(
        server.get("/languages").json(),
        json!([
            { "code": "de", "name": "German", "targets": ["en"] },
            { "code": "en", "name": "English", "targets": ["de"] },
        ])
    );
    for (text, language) in [("Der Hund sieht die Katze .", "de"), ("The dog sees the cat .", "en")] {
        let guesses = server.post("/detect", &json!({ "q": text })).json();
        assert_eq!(guesses[0]["language"], language, "{guesses}");
        assert!(guesses[0]["confidence"].as_f64() > guesses[1]["confidence"].as_f64(), "{guesses}");
    }
    // With one direction only, too.
    let one = serve(&[bundles().join("hiero")], ServeSettings::default());
    for (text, language) in [("Der Hund sieht die Katze .", "de"), ("The dog sees the cat .", "en")] {
        assert_eq!(one.post("/detect", &json!({ "q": text })).json()[0]["language"], language);
    }
}

#[test]
fn an_explanation_has_links_rules_features_and_other_translations() {
    let server = serve_all(ServeSettings::default());
    let ask = json!({ "q": "Das Haus . Der Hund .", "source": "de", "target": "en", "system": "hiero", "alternatives": 3 });
    let answer = server.post("/explain", &ask).json();
    let sentences = answer["lines"][0]["sentences"].as_array().unwrap();
    assert_eq!(sentences.len(), 2, "{answer}");
    let best = sentences[0]["best"].as_array().unwrap();
    assert!(best.len() > 1 && best.len() <= 4);
    let words = best[0]["explanation"]["words"].as_array().unwrap();
    let house = words.iter().find(|word| word["word"] == "house").unwrap();
    assert_eq!(house["source"], json!([1]));
    let rules = best[0]["explanation"]["rules"].as_array().unwrap();
    let sum: f64 = rules.iter().map(|rule| rule["score"].as_f64().unwrap()).sum();
    assert!((sum - best[0]["score"].as_f64().unwrap()).abs() < 1e-6);
    let features = best[0]["features"].as_object().unwrap();
    let weights = answer["weights"].as_object().unwrap();
    assert!(!features.is_empty() && features.keys().all(|name| weights.contains_key(name)), "{answer}");
}

#[test]
fn trees_of_a_request_are_read_and_checked() {
    let server = serve_all(ServeSettings::default());
    let tree = "1\tdas\t_\tDET\t_\t_\t2\tdet\t_\t_\n2\tHaus\t_\tNOUN\t_\t_\t0\troot\t_\t_\n";
    let mut ask = json!({ "q": "das Haus", "source": "de", "target": "en", "dependencies": tree, "constituents": "(NP (ART das) (NN Haus))" });
    let trees = &server.post("/explain", &ask).json()["lines"][0]["sentences"][0]["trees"];
    assert_eq!(trees["dependencies"]["heads"], json!([1, null]));
    assert_eq!(trees["constituents"]["labels"], json!(["NP", "ART", "NN"]));
    assert_eq!(trees["constituents"]["leaves"], json!([1, 2]));
    ask["q"] = json!("das rote Haus");
    assert!(server.post("/explain", &ask).error(400).contains("word 2 of the tree is `Haus`"));
    ask["dependencies"] = json!("nonsense");
    server.post("/explain", &ask).error(400);
}

#[test]
fn a_file_is_translated_and_fetched() {
    let server = serve_all(ServeSettings::default());
    let send = |name: &str, content: &str| {
        let field = |name: &str, value: &str| {
            format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let body = format!(
            "{}{}--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{content}\r\n--x--\r\n",
            field("source", "de"),
            field("target", "en")
        );
        server.ask(
            "POST",
            "/translate_file",
            "Content-Type: multipart/form-data; boundary=x\r\n",
            body.as_bytes(),
        )
    };
    let fetch = |answer: Value| {
        let url = answer["translatedFileUrl"].as_str().unwrap().to_string();
        server.get(url.strip_prefix("http://test").unwrap())
    };
    let text = fetch(send("a.TXT", "das Haus\nder Hund\n").json());
    assert_eq!(text.body, "The house\nThe dog\n");
    assert!(text.head.contains("content-disposition: attachment"), "{text:?}");
    assert_eq!(fetch(send("a.html", "<p>das Haus</p>").json()).body, "<p>The house</p>");
    assert!(send("a.exe", "x").error(400).contains(".txt"));
    server.get("/download_file/0000.txt").error(404);
}

#[test]
fn the_card_is_shown_and_rules_are_found() {
    let server = serve_all(ServeSettings::default());
    let system = server.get("/systems/hiero").json();
    assert_eq!((&system["model"], &system["source"]), (&json!("hiero"), &json!("de")));
    assert!(system["card"]["training"].is_object() && system["weights"].is_object(), "{system}");
    let found = server.get("/systems/hiero/rules?q=Haus&limit=5").json();
    let rules = found["rules"].as_array().unwrap();
    assert!(rules.len() == 5 && found["found"].as_u64() > Some(5) && found["complete"] == true, "{found}");
    assert!(rules.iter().all(|rule| rule["source"].as_str().unwrap().contains("Haus")));
    let counts: Vec<f64> = rules.iter().map(|rule| rule["count"].as_f64().unwrap()).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    let found = server.get("/systems/hiero/rules?q=house&side=target&limit=3").json();
    assert!(
        found["rules"]
            .as_array()
            .unwrap()
            .iter()
            .all(|rule| rule["target"].as_str().unwrap().contains("house"))
    );
    assert_eq!(server.get("/systems/hiero/rules?q=xyzzy").json()["rules"], json!([]));
    server.get("/systems/hiero/rules?q=+").error(400);
    server.get("/systems/none/rules?q=a").error(404);
}

#[test]
fn corrections_are_kept_where_they_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("corrections.jsonl");
    let ask = json!({ "q": "das \"Haus\"\n", "s": "the house", "source": "de", "target": "en" });
    let server = serve(
        &[bundles().join("phrase")],
        ServeSettings { corrections: Some(file.clone()), ..ServeSettings::default() },
    );
    assert_eq!(server.post("/suggest", &ask).json(), json!({ "success": true }));
    server.post("/suggest", &ask);
    let text = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (lines.len(), &lines[0]["text"], &lines[1]["translation"]),
        (2, &json!("das \"Haus\"\n"), &json!("the house"))
    );
    let none = serve(&[bundles().join("phrase")], ServeSettings::default());
    none.post("/suggest", &ask).error(403);
}

#[test]
fn the_api_describes_itself() {
    let server = serve_all(ServeSettings::default());
    assert_eq!(server.get("/health").json(), json!({ "status": "ok" }));
    let described = server.get("/openapi.json").json();
    for path in [
        "/translate",
        "/translate_file",
        "/languages",
        "/detect",
        "/health",
        "/explain",
        "/metrics",
        "/systems/{name}/rules",
    ] {
        assert!(described["paths"][path].is_object(), "{path} is described");
    }
    server.post("/translate", &json!({ "q": "das Haus", "source": "de", "target": "en" }));
    let metrics = server.get("/metrics").body;
    assert!(metrics.contains("treeglot_requests_total{path=\"/translate\",status=\"200\"} 1"), "{metrics}");
    assert!(metrics.contains("treeglot_characters_total{system=\"phrase\"} 8"), "{metrics}");
}

#[test]
fn the_page_comes_with_the_server() {
    let server = serve_all(ServeSettings::default());
    let page = server.get("/");
    assert!(page.status == 200 && page.body.contains("<title>Treeglot"), "{page:?}");
    assert!(
        page.head.contains("content-security-policy: default-src 'none'") && page.head.contains("nosniff")
    );
    for file in ["main.js", "drawings.js", "style.css", "page.css", "icon.svg"] {
        let file = server.get(&format!("/page/{file}"));
        assert!(file.status == 200 && !file.body.is_empty());
    }
    server.get("/page/../Cargo.toml").error(404);
}
