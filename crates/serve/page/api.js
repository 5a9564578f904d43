// Talking to the server.

const byId = id => document.getElementById(id);

/** The key that a user gave, for as long as the page is open. */
export const key = {
  get: () => sessionStorage.getItem("key") || undefined,
  set: value => value ? sessionStorage.setItem("key", value) : sessionStorage.removeItem("key"),
};

/** What the server says went wrong. */
export class Problem extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function answer(response) {
  if (response.status === 403) byId("key-box").hidden = false;
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  throw new Problem(response.status, body.error ?? `the server answered ${response.status}`);
}

const headers = () => key.get() ? { Authorization: `Bearer ${key.get()}` } : {};

export async function get(path) {
  return (await answer(await fetch(path, { headers: headers() }))).json();
}

export async function text(path) {
  return (await answer(await fetch(path, { headers: headers() }))).text();
}

export async function post(path, body, signal) {
  const form = body instanceof FormData;
  const sent = form ? headers() : { ...headers(), "Content-Type": "application/json" };
  return (await answer(await fetch(path, { method: "POST", headers: sent, body: form ? body : JSON.stringify(body), signal }))).json();
}

/** An element with attributes and content. */
export function make(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== undefined && value !== false && value !== null) made.setAttribute(name, value);
  }
  made.append(...content.filter(part => part !== undefined && part !== null));
  return made;
}

/** Gives the user a file. */
export function download(name, kind, content) {
  const link = make("a", { href: URL.createObjectURL(new Blob([content], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Whether a language is written from right to left. */
export const isRtl = language => ["ar", "he", "fa", "ur", "yi", "dv", "ps", "sd", "ug", "ckb", "syr", "arc"].includes((language ?? "").split(/[-_]/)[0]);

export { byId };
