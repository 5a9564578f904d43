// The third tab: a report of `treeglot experiment`, taken apart and shown in the look of this page, which is the same.

import { byId, make, text } from "./api.js";

export function startReports(paths) {
  const name = path => path.split("/").slice(-2).join("/");
  byId("reports").append(...paths.map((path, k) => make("button", { onclick: async () => {
    try { show(await text(`/reports/${k}`), name(path)); } catch (problem) { byId("report-status").textContent = problem.message; }
  } }, name(path))));
  byId("report-file").addEventListener("change", async event => {
    const [file] = event.target.files;
    if (file) show(await file.text(), file.name);
    event.target.value = "";
  });
}

/** Shows the body of a page. What could do something instead of showing something is left out. */
function show(html, name) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll("script:not(.drawing), style, link, iframe, object, embed, form, meta, base")) part.remove();
  for (const part of page.querySelectorAll("*")) for (const { name } of [...part.attributes]) if (name.startsWith("on") || ["href", "src", "style", "action"].includes(name)) part.removeAttribute(name);
  if (!page.body.querySelector("table, svg, .drawing")) { byId("report-status").textContent = `${name} is no report of treeglot`; return; }
  byId("report").replaceChildren(...[...page.body.childNodes].map(part => document.adoptNode(part)));
  Drawings.drawAll(byId("report"));
  byId("report-status").textContent = name;
}
