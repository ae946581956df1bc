// Elements without a framework. Text is always set as text: names come from the fabric.

/** element("button", {class: "x", onclick: f, "aria-label": "..."}, "text", other, ...) */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

export function button(text, onclick, attributes = {}) {
  return element("button", { type: "button", onclick, ...attributes }, text);
}

/** A table; the first cell of a row is its header. `rows`: lists of texts or elements. */
export function table(caption, heads, rows) {
  const head = element("thead", {}, element("tr", {}, heads.map((text) => element("th", { scope: "col" }, text))));
  const body = rows.map(([first, ...others]) =>
    element("tr", {}, element("th", { scope: "row" }, first), others.map((cell) => element("td", {}, cell))),
  );
  return element("table", {}, element("caption", {}, caption), head, element("tbody", {}, body));
}

/** Names and values. */
export function facts(pairs) {
  const rows = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return element("dl", {}, rows.map(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
}

/** Something went wrong: what, and what would be right. */
export function errorText(error) {
  return element("p", { class: "error", role: "alert" }, error.message, error.remedy ? ` ${error.remedy}` : "");
}

export function number(value) {
  if (value === null || value === undefined || value < 0) return "–";
  return Number.isInteger(value) ? value.toLocaleString("en") : value.toFixed(2);
}

export function clock(date) {
  return date.toLocaleTimeString("en-GB");
}

/** "since 10:03:11", of another day "since 23 Nov, 10:03"; nothing if it is not known. */
export function since(date) {
  if (!date) return null;
  const isToday = date.toDateString() === new Date().toDateString();
  const text = isToday ? clock(date) : date.toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  return element("span", { class: "since" }, "since ", element("time", { datetime: date.toISOString() }, text));
}
