//! A headless browser, spoken to over pipes in the DevTools protocol: JSON messages that end in a zero byte.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A browser with one page.
pub struct Browser {
    process: Child,
    send: ChildStdin,
    receive: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    /// Errors that scripts of the page threw or printed, and requests that were blocked.
    pub complaints: Vec<String>,
    /// The addresses that the page asked for.
    pub requests: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser with an empty page.
    pub fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        // The protocol is spoken over the descriptors 3 and 4, which a shell makes of our pipes.
        let command = "exec \"$@\" 3<&0 4>&1 0</dev/null 1>&2";
        let mut process = Command::new("sh")
            .args([
                "-c",
                command,
                "sh",
                env!("TREEGLOT_TEST_BROWSER"),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
            ])
            .args([
                "--remote-debugging-pipe",
                "--no-first-run",
                "--disable-extensions",
                "--disable-background-networking",
            ])
            .args(["--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser that the build found starts");
        let (send, receive) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut browser = Self {
            process,
            send,
            receive,
            session: None,
            number: 0,
            complaints: Vec::new(),
            requests: Vec::new(),
            _profile: profile,
        };
        let target =
            browser.call("Target.createTarget", &json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_string());
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, &json!({}));
        }
        browser
    }

    /// Calls a method and waits for its result.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.send.write_all(message.to_string().as_bytes()).and_then(|()| self.send.write_all(&[0])).unwrap();
        loop {
            let message = self.next();
            if message["id"] == self.number {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
        }
    }

    /// The next message; what the page complains of is noted.
    fn next(&mut self) -> Value {
        let mut bytes = Vec::new();
        self.receive.read_until(0, &mut bytes).unwrap();
        assert_eq!(bytes.pop(), Some(0), "the browser ended");
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        let about = &message["params"];
        match message["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.complaints.push(about["exceptionDetails"].to_string()),
            Some("Log.entryAdded") if about["entry"]["level"] == "error" => {
                self.complaints.push(about["entry"]["text"].to_string());
            }
            Some("Network.requestWillBeSent") => {
                self.requests.push(about["request"]["url"].as_str().unwrap_or_default().to_string());
            }
            _ => {}
        }
        message
    }

    /// Opens an address and waits until the page is ready.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", &json!({ "url": address }));
        self.wait("document.body?.dataset.ready === 'true'");
    }

    /// The value of an expression; a promise is waited for.
    pub fn eval(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", &parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let wait = format!(
            "new Promise(done => {{ const end = Date.now() + 20000; const look = () => {{ \
             let now = false; try {{ now = Boolean({expression}); }} catch {{}} \
             if (now || Date.now() > end) done(now); else setTimeout(look, 15); }}; look(); }})"
        );
        // A navigation ends what waits in the old page.
        let parameters = json!({ "expression": wait, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", &parameters);
        let text = self.eval("document.body?.innerText.slice(0, 600)");
        assert_eq!(
            result["result"]["value"], true,
            "never true: {expression}; the page: {text}; {:?}",
            self.complaints
        );
    }

    /// Types into what has the focus.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let code = match key {
            "ArrowRight" => 39,
            "ArrowLeft" => 37,
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "Delete" => 46,
            other => u32::from(
                other.chars().next().filter(|_| other.len() == 1).expect("a key").to_ascii_uppercase(),
            ),
        };
        for kind in ["keyDown", "keyUp"] {
            let typed = if key.len() == 1 { key } else { "" };
            let text = if kind == "keyUp" {
                ""
            } else if key == "Enter" {
                "\r"
            } else {
                typed
            };
            self.call(
                "Input.dispatchKeyEvent",
                &json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text }),
            );
        }
    }

    /// Moves the pointer onto the middle of an element.
    pub fn point(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(() => {{ const at = document.querySelector({selector:?}); at.scrollIntoView({{ block: 'center' }}); \
             const box = at.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        self.call("Input.dispatchMouseEvent", &json!({ "type": "mouseMoved", "x": place[0], "y": place[1] }));
    }

    /// Sets the width of the window, and light or dark.
    pub fn look(&mut self, width: u32, height: u32, scheme: &str) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", &features);
    }

    /// Writes a picture of the whole page to a folder that `TREEGLOT_SCREENSHOTS` names, if it does.
    pub fn screenshot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("TREEGLOT_SCREENSHOTS") else { return };
        let shot = self
            .call("Page.captureScreenshot", &json!({ "captureBeyondViewport": true, "fromSurface": true }));
        let bytes = from_base64(shot["data"].as_str().unwrap());
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), bytes).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|&byte| byte != b'=').map(value).collect();
    let mut out = Vec::new();
    for four in digits.chunks(4) {
        let bits =
            four.iter().fold(0_u32, |bits, &digit| bits << 6 | u32::from(digit)) << (6 * (4 - four.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    out
}
