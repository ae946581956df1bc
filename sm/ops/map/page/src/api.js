// Requests to the daemon. What goes wrong is an ApiError whose text an operator can act on.

export class ApiError extends Error {
  constructor(status, text, remedy = "", retryAfterS = 0) {
    super(text);
    this.status = status;
    this.remedy = remedy;
    this.retryAfterS = retryAfterS;
  }
}

const TEXTS = {
  401: "The daemon does not know this user. Load the page again and log in.",
  403: "This user may not read the fabric.",
  404: "The daemon does not have this.",
  429: "The daemon is busy with another computation.",
  503: "The daemon cannot answer now.",
};

function errorOf(response, body) {
  let problem = {};
  try {
    problem = JSON.parse(body);
  } catch {
    // Not from the daemon itself, say a proxy: the status has to do.
  }
  const text = TEXTS[response.status] ?? `The daemon answered with status ${response.status}.`;
  const detail = problem.detail ? `${text} ${problem.detail}` : text;
  const retry = Number(response.headers.get("Retry-After")) || 0;
  return new ApiError(response.status, detail, problem.remedy ?? "", retry);
}

/**
 * Of this server, without the name and password that the page's own address may have. A daemon with
 * managers on several ports is asked about the one that the page was opened for.
 */
function address(path, query = {}) {
  const made = new URL(path, location.origin);
  for (const [name, value] of Object.entries(query)) made.searchParams.set(name, value);
  const port = new URLSearchParams(location.search).get("port_guid");
  if (port) made.searchParams.set("port_guid", port);
  return made;
}

async function request(path, options, query) {
  let response;
  try {
    response = await fetch(address(path, query), { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, "The daemon does not answer.");
  }
  if (response.status === 304) return { response, json: null };
  const body = await response.text().catch(() => {
    throw new ApiError(0, "The connection to the daemon was lost.");
  });
  if (!response.ok) throw errorOf(response, body);
  try {
    return { response, json: JSON.parse(body) };
  } catch {
    throw new ApiError(response.status, "The answer of the daemon is not JSON.");
  }
}

export async function get(path, query = {}, options = {}) {
  return (await request(path, options, query)).json;
}

/** All pages of a list. `most` bounds what is read. */
export async function list(path, key, query = {}, most = 5000) {
  const rows = [];
  let cursor = null;
  do {
    const page = await get(path, cursor ? { ...query, cursor } : query);
    rows.push(...page[key]);
    cursor = page.next_cursor;
  } while (cursor && rows.length < most);
  return rows;
}

export async function post(path, body) {
  const options = {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  return (await request(path, options)).json;
}

/** A resource that is read again and again: null as long as it has not changed. */
export class Cached {
  constructor(path) {
    this.path = path;
    this.etag = "";
  }
  async read() {
    // The first one takes what the page's head has begun to load.
    const options = this.etag ? { headers: { "If-None-Match": this.etag }, cache: "no-store" } : {};
    const { response, json } = await request(this.path, options);
    if (json) this.etag = response.headers.get("ETag") ?? "";
    return json;
  }
}

const RETRY_FIRST_MS = 500;
const RETRY_MOST_MS = 10000;
const SILENCE_MOST_MS = 40000; // the daemon sends a comment every 15 s

/**
 * Server-Sent Events over fetch, which unlike EventSource shows the status of an answer, and goes on
 * after any. Resumes by Last-Event-ID.
 *   onEvent(event): the parsed data.  onState("live" | "lost", error)
 */
export class EventStream {
  constructor(path, onEvent, onState) {
    Object.assign(this, { path, onEvent, onState, lastId: "", retryMs: RETRY_FIRST_MS });
  }

  start() {
    this.run();
  }

  /** Tries at once, if it waits for its next try. */
  hurry() {
    this.wake?.();
  }

  async run() {
    for (;;) {
      try {
        await this.readOnce();
        this.onState("lost", new ApiError(0, "The daemon closed the connection."));
      } catch (error) {
        this.onState("lost", error instanceof ApiError ? error : new ApiError(0, "The daemon does not answer."));
      }
      await new Promise((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, this.retryMs);
      });
      this.retryMs = Math.min(2 * this.retryMs, RETRY_MOST_MS);
    }
  }

  async readOnce() {
    const abort = new AbortController();
    let silence = setTimeout(() => abort.abort(), SILENCE_MOST_MS);
    try {
      const headers = { Accept: "text/event-stream" };
      if (this.lastId) headers["Last-Event-ID"] = this.lastId;
      const response = await fetch(address(this.path), {
        headers,
        signal: abort.signal,
        cache: "no-store",
        credentials: "same-origin",
      });
      if (!response.ok) throw errorOf(response, await response.text());
      this.retryMs = RETRY_FIRST_MS;
      this.onState("live", null);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(() => abort.abort(), SILENCE_MOST_MS);
        const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) this.take(block);
      }
    } finally {
      clearTimeout(silence);
      abort.abort();
    }
  }

  take(block) {
    const data = [];
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (field === "id") this.lastId = value;
      if (field === "data") data.push(value);
    }
    if (data.length === 0) return;
    try {
      this.onEvent(JSON.parse(data.join("\n")));
    } catch (error) {
      console.error("an event that cannot be used", error);
    }
  }
}
