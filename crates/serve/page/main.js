// The page: tabs, colours, and what all tabs need to know of the server.

import { byId, get, key } from "./api.js";
import { startBundles } from "./bundle.js";
import { startReports } from "./report.js";
import { startTranslating } from "./translate.js";

const tabs = [...document.querySelectorAll("[role=tab]")];

function show(tab, focus) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", String(chosen));
    other.tabIndex = chosen ? 0 : -1;
    byId(other.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (focus) tab.focus();
  history.replaceState(null, "", tab.id === "tab-translate" ? "/" : `#${tab.id.slice(4)}`);
}

tabs.forEach((tab, k) => {
  tab.addEventListener("click", () => show(tab));
  tab.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) show(tabs[(k + step + tabs.length) % tabs.length], true);
  });
});
const named = tabs.find(tab => `#${tab.id.slice(4)}` === location.hash);
if (named) show(named);

// Colours: as the system has them, light, dark.
const THEMES = [["", "◐", "as the system has them"], ["light", "☀", "light"], ["dark", "☾", "dark"]];
function colour(theme) {
  const [name, sign, words] = THEMES.find(([known]) => known === theme) ?? THEMES[0];
  if (name) document.documentElement.dataset.theme = name; else delete document.documentElement.dataset.theme;
  byId("theme").textContent = sign;
  byId("theme").title = `Colours: ${words}`;
  byId("theme").setAttribute("aria-label", `Colours: ${words}`);
  localStorage.setItem("theme", name);
}
colour(localStorage.getItem("theme") ?? "");
byId("theme").addEventListener("click", () => {
  const at = THEMES.findIndex(([name]) => name === (document.documentElement.dataset.theme ?? ""));
  colour(THEMES[(at + 1) % THEMES.length][0]);
});

const [settings, systems, languages] = await Promise.all([get("/frontend/settings"), get("/systems"), get("/languages")]);
byId("key-box").hidden = !settings.keyRequired;
byId("key").value = key.get() ?? "";
startTranslating({ settings, systems, languages });
startBundles(systems);
startReports(settings.reports);
byId("key-box").addEventListener("submit", event => event.preventDefault());
byId("key").addEventListener("change", event => {
  key.set(event.target.value.trim());
  document.dispatchEvent(new Event("newkey"));
});
document.body.dataset.ready = "true";
