// What the map costs in a browser (Debian's chromium), of a daemon on a simulated fabric: the first drawing, and a pan and zoom over all of it.
//
//   HEDDLE_BIN=build/bench/bin node tests/bench/map.mjs [--loads N] [--renderer webgl|canvas] [KIND OPTION...]     KIND: what heddle-topo takes
//
// "main thread": its CPU time, which other work on the machine changes little. "wall": as a person waits. Without a GPU, chromium
// computes WebGL's pixels with SwiftShader, in a process of its own: that is part of wall, and not of the main thread.

import { cpus } from "node:os";
import { Daemon } from "../browser/daemon.mjs";
import { Browser } from "../browser/webdriver.mjs";

const BIN = process.env.HEDDLE_BIN ?? "build/bench/bin";
const STEPS = 60;
const options = process.argv.slice(2);
let loads = 5;
let renderers = ["canvas", "webgl"];
while (options[0] === "--loads" || options[0] === "--renderer") {
  const [name, value] = options.splice(0, 2);
  if (name === "--loads") loads = Number(value);
  else renderers = [value];
}
const kind = options.length > 0 ? options : ["fat-tree", "--hosts", "11664"];

const ms = (value) => `${value.toFixed(value < 20 ? 1 : 0)} ms`;
function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return `median ${ms(at(0.5))}, p95 ${ms(at(0.95))}, most ${ms(sorted.at(-1))}`;
}

/** CPU time of the page's main thread since it began, ms. */
async function mainThread(browser) {
  const { metrics } = await browser.devtools("Performance.getMetrics");
  return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
}

/** One load of the page, until it is drawn. */
async function load(browser, url) {
  await browser.open("about:blank");
  await browser.devtools("Performance.disable");
  await browser.devtools("Performance.enable", { timeDomain: "threadTicks" });
  const before = await mainThread(browser);
  await browser.open(url);
  await browser.until("a drawing", "return performance.getEntriesByName('heddle-map-first-drawing').length > 0");
  const after = await mainThread(browser);
  const marks = await browser.evaluate(`
    const at = (name) => performance.getEntriesByName(name)[0]?.startTime ?? NaN;
    const fetched = performance.getEntriesByType("resource").find((entry) => entry.name.includes("/v1/topology"));
    return { paint: at("first-contentful-paint"), topology: at("heddle-map-topology"), scene: at("heddle-map-scene"), drawing: at("heddle-map-first-drawing"),
      waits: fetched.responseStart - fetched.requestStart, bytes: fetched.encodedBodySize }`);
  return { ...marks, main: after < before ? after : after - before };
}

/** A step a frame: zoom in to a port, pan, zoom out, pan; what the main thread did for it. */
async function frames(browser) {
  await browser.until("live", "return document.getElementById('live').textContent === 'live'");
  await browser.evaluateAsync(`
    const done = arguments[0];
    window.heddleMap.view.fit();
    window.heddleStep = (step, answer) => {
      const { view } = window.heddleMap;
      const at = step % 60;
      if (at < 20) view.zoom(1.28, view.width * 0.4, view.height * 0.6);
      else if (at >= 30 && at < 50) view.zoom(1 / 1.28, view.width * 0.4, view.height * 0.6);
      else view.pan(12, -4);
      requestAnimationFrame(() => requestAnimationFrame(answer));
    };
    requestAnimationFrame(() => requestAnimationFrame(done));`);
  // What an order itself costs the page: the same without a movement.
  const orders = [];
  for (let i = 0; i < 20; i++) {
    const start = await mainThread(browser);
    await browser.evaluateAsync("const [, answer] = arguments; requestAnimationFrame(() => requestAnimationFrame(answer))", i);
    orders.push((await mainThread(browser)) - start);
  }
  const each = [];
  const drawn = () => browser.evaluate("return window.heddleMap.view.frames.count");
  let count = await drawn();
  let before = await mainThread(browser);
  for (let step = 0; step < STEPS; step++) {
    await browser.evaluateAsync("window.heddleStep(arguments[0], arguments[1])", step);
    const after = await mainThread(browser);
    const now = await drawn();
    each.push((after - before) / Math.max(1, now - count));
    count = now;
    before = await mainThread(browser);
  }
  // The same without a word to the driver in between: as a person moves the map.
  const alone = await browser.evaluateAsync(`
    const done = arguments[1];
    const { view } = window.heddleMap;
    view.fit();
    view.frames = { count: 0, total_ms: 0, longest_ms: 0 };
    let step = 0;
    const began = performance.now();
    const next = () => (step < arguments[0] ? window.heddleStep(step++, next) : done({ wall: performance.now() - began, ...view.frames }));
    next();`, STEPS);
  const after = await mainThread(browser);
  return { each, orders, whole: (after - before) / alone.count, wall: alone.wall / alone.count, drawing: alone.total_ms / alone.count, count: alone.count };
}

const began = Date.now();
const daemon = await Daemon.start(BIN, kind);
let browser;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await browser?.stop().catch(() => {});
    await daemon.stop();
    process.exit(1);
  });
}
try {
  console.log(`${cpus().length} processors; ${kind.join(" ")}: SUBNET UP after ${((Date.now() - began) / 1000).toFixed(1)} s`);
  browser = await Browser.start();
  for (const renderer of renderers) await measure(renderer);
} finally {
  await browser?.stop();
  await daemon.stop();
}

async function measure(renderer) {
  const rows = [];
  for (let i = 0; i < loads; i++) {
    rows.push(await load(browser, daemon.url(`/map?renderer=${renderer}`)));
    const { paint, topology, scene, drawing, main, waits, bytes } = rows.at(-1);
    console.log(`load ${i + 1}: main thread ${ms(main)}; wall: first paint ${ms(paint)}, topology read ${ms(topology)} (of which the daemon ${ms(waits)}, ${bytes.toLocaleString("en")} bytes), ` +
      `laid out ${ms(scene)}, drawn ${ms(drawing)}`);
  }
  console.log(await browser.evaluate("return `${document.getElementById('fabric').textContent}; ${document.getElementById('renderer').textContent}`"));
  console.log(`first drawing, main thread: ${spread(rows.map((row) => row.main))}`);
  console.log(`first drawing, wall: ${spread(rows.map((row) => row.drawing))}`);
  const { each, orders, whole, wall, drawing, count } = await frames(browser);
  console.log(`a frame, in ${STEPS} steps, main thread, with the driver's orders: ${spread(each)} (an order without a movement: ${spread(orders)})`);
  console.log(`a frame of ${count} without orders: main thread ${ms(whole)}, drawing (wall) ${ms(drawing)}, from one to the next (wall) ${ms(wall)}`);
}
