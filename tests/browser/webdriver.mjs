// A browser under test: Debian's chromium, driven by its chromedriver (W3C WebDriver over HTTP). Node's built-ins only.

import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { request } from "node:http";

export const KEYS = { enter: "\uE007", tab: "\uE004", escape: "\uE00C", left: "\uE012", up: "\uE013", right: "\uE014", down: "\uE015", shift: "\uE008", end: "\uE010", backspace: "\uE003" };

const UNTIL_MOST_MS = 60000; // of a machine that others use

function exchange(port, method, path, body) {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
    const sent = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      let all = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => (all += chunk));
      response.on("end", () => {
        const { value } = JSON.parse(all);
        if (value?.error) reject(new Error(`${path}: ${value.error}: ${value.message.split("\n")[0]}`));
        else resolve(value);
      });
    });
    sent.on("error", reject);
    sent.end(text);
  });
}

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
    browser.port = await new Promise((resolve, reject) => {
      let text = "";
      browser.driver.stdout.on("data", (chunk) => {
        text += chunk;
        const port = /successfully on port (\d+)/.exec(text);
        if (port) resolve(Number(port[1]));
      });
      browser.driver.on("error", () => reject(new Error("chromedriver cannot be started: install chromium-driver")));
      browser.driver.on("exit", (code) => reject(new Error(`chromedriver has ended with ${code}: ${text}`)));
    });
    // Root in a container has no sandbox; the page is our own.
    const args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--enable-unsafe-swiftshader", "--window-size=1500,950", "--force-prefers-reduced-motion"];
    const capabilities = { alwaysMatch: { "goog:chromeOptions": { args }, "goog:loggingPrefs": { browser: "ALL" } } };
    browser.session = (await exchange(browser.port, "POST", "/session", { capabilities })).sessionId;
    await browser.call("POST", "/timeouts", { script: 120000, pageLoad: 60000 });
    return browser;
  }

  call(method, path, body) {
    return exchange(this.port, method, `/session/${this.session}${path}`, body);
  }
  open(url) {
    return this.call("POST", "/url", { url });
  }
  /** The value that the body of a function returns in the page. */
  evaluate(script, ...args) {
    return this.call("POST", "/execute/sync", { script, args });
  }
  evaluateAsync(script, ...args) {
    return this.call("POST", "/execute/async", { script, args });
  }
  devtools(cmd, params = {}) {
    return this.call("POST", "/goog/cdp/execute", { cmd, params });
  }
  /** Lines of the page's console: of errors only. */
  async errors() {
    const lines = await this.call("POST", "/se/log", { type: "browser" });
    return lines.filter((line) => line.level === "SEVERE").map((line) => line.message);
  }
  async screenshot() {
    return Buffer.from(await this.call("GET", "/screenshot"), "base64");
  }

  /** Waits until a function in the page returns something true, and returns that. */
  async until(what, script, ...args) {
    const end = Date.now() + UNTIL_MOST_MS;
    for (;;) {
      const value = await this.evaluate(script, ...args);
      if (value) return value;
      if (Date.now() > end) {
        const text = await this.evaluate("return document.body.innerText");
        throw new Error(`the page never shows: ${what}. It shows:\n${text.slice(0, 2000)}`);
      }
      await pause(30);
    }
  }

  /** Keys as a person presses them, to whatever has the focus. */
  async press(...keys) {
    const actions = keys.flatMap((key) => [...(key.length > 1 ? key : [key])].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }]));
    await this.call("POST", "/actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  /** The accessibility tree as chromium gives it to screen readers: [{role, name, ...}]. */
  async accessible() {
    const { nodes } = await this.devtools("Accessibility.getFullAXTree");
    return nodes.filter((node) => !node.ignored).map((node) => ({
      role: node.role?.value, name: node.name?.value ?? "",
      ...Object.fromEntries((node.properties ?? []).map((property) => [property.name, property.value.value])),
    }));
  }
  async named(role) {
    return (await this.accessible()).filter((node) => node.role === role).map((node) => node.name);
  }
  /** The first name of that role that fits: waited for. */
  async untilNamed(role, fits) {
    const end = Date.now() + UNTIL_MOST_MS;
    for (;;) {
      const names = await this.named(role);
      if (names.length > 0 && fits(names[0])) return names;
      if (Date.now() > end) throw new Error(`the first ${role} is never as expected: ${names.slice(0, 5).join("; ") || "there is none"}`);
      await pause(30);
    }
  }

  /** The element of that role with that accessible name: clicked. */
  async click(role, name) {
    const { nodes } = await this.devtools("Accessibility.getFullAXTree");
    const found = nodes.find((node) => !node.ignored && node.role?.value === role && node.name?.value === name);
    if (!found) throw new Error(`there is no ${role} called "${name}"`);
    const { object } = await this.devtools("DOM.resolveNode", { backendNodeId: found.backendDOMNodeId });
    await this.devtools("Runtime.callFunctionOn", { objectId: object.objectId, functionDeclaration: "function () { this.focus(); this.click(); }" });
  }

  async stop() {
    try {
      await this.call("DELETE", "");
    } finally {
      this.driver.removeAllListeners("exit");
      this.driver.kill();
    }
  }
}
