// A simulated fabric (heddle-sim) and a manager on it (heddle) that serves the map, with a user who may read.

import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync, readFileSync, existsSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export const USER = "operator";
export const PASSWORD = "map-of-tests";
// argon2id with the least cost that there is: tests log in often, and this password is no secret.
const HASH = "$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$KiaBrzEchdk+JNGyT+u2bEMomEmXmbDAEXHLYpWVFfA";

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function until(what, isSo, seconds = 60) {
  const end = Date.now() + 1000 * seconds;
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`after ${seconds} s: ${what}`);
    await pause(20);
  }
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("connect", () => socket.destroy());
    socket.on("error", () => resolve(false));
  });
}

export class Daemon {
  /** `bin`: where Heddle's programs are. `kind`: arguments of heddle-topo. */
  static async start(bin, kind, options = {}) {
    const daemon = new Daemon();
    Object.assign(daemon, { bin, options, dir: mkdtempSync(join(tmpdir(), "heddle-map-")) });
    daemon.socket = `map-${process.pid}-${Daemon.count++}`;
    writeFileSync(join(daemon.dir, "fabric.net"), execFileSync(join(bin, "heddle-topo"), kind, { maxBuffer: 1 << 28 }));
    daemon.simulator = spawn(join(bin, "heddle-sim"), ["-s", "--socket", daemon.socket, "fabric.net"], { cwd: daemon.dir, stdio: ["pipe", "pipe", "inherit"] });
    daemon.console = "";
    daemon.simulator.stdout.on("data", (text) => (daemon.console += text));
    await until("the simulator is not ready", () => daemon.console.includes("sim> "));
    daemon.port = await freePort();
    writeFileSync(join(daemon.dir, "users"), `${USER}:read:${HASH}\n`, { mode: 0o600 });
    const lines = { http_listen: `127.0.0.1:${daemon.port}`, http_users_file: join(daemon.dir, "users"), http_plain_passwords: "TRUE", ...options };
    writeFileSync(join(daemon.dir, "opensm.conf"), Object.entries(lines).map(([key, value]) => `${key} ${value}\n`).join(""));
    await daemon.run();
    return daemon;
  }

  async run() {
    const env = { ...process.env, OSM_CACHE_DIR: this.dir, OSM_TMP_DIR: this.dir, HEDDLE_RUN_DIR: join(this.dir, "run") };
    const log = join(this.dir, "log");
    const before = existsSync(log) ? readFileSync(log, "utf8").length : 0;
    this.manager = spawn(join(this.bin, "heddle-sim-run"), ["--socket", this.socket, join(this.bin, "heddle"), "-F", "opensm.conf", "-f", log], { cwd: this.dir, env, stdio: ["ignore", "ignore", "inherit"] });
    const isUp = () => existsSync(log) && readFileSync(log, "utf8").slice(before).includes("SUBNET UP");
    await until("the manager has no SUBNET UP", isUp);
    await until("nothing listens for HTTP", () => accepts(this.port));
  }

  url(path = "/map") {
    return `http://${USER}:${PASSWORD}@127.0.0.1:${this.port}${path}`;
  }

  /** A line on the simulator's console. */
  async command(line) {
    const before = this.console.length;
    this.simulator.stdin.write(`${line}\n`);
    await until(`the simulator does not answer ${line}`, () => this.console.slice(before).includes("sim> "));
    return this.console.slice(before);
  }

  async end(signal = "SIGTERM") {
    if (this.manager.exitCode !== null || this.manager.signalCode !== null) return;
    const ended = new Promise((resolve) => this.manager.once("exit", resolve));
    this.manager.kill(signal);
    await ended;
  }

  async stop() {
    await this.end("SIGKILL");
    const ended = new Promise((resolve) => this.simulator.once("exit", resolve));
    this.simulator.kill("SIGKILL");
    await ended;
    rmSync(this.dir, { recursive: true, force: true });
  }
}
Daemon.count = 0;
