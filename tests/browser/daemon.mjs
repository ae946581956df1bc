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
    try {
      await daemon.begin(bin, kind, options);
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    return daemon;
  }

  async begin(bin, kind, options) {
    Object.assign(this, { bin, options, dir: mkdtempSync(join(tmpdir(), "heddle-map-")) });
    this.socket = `map-${process.pid}-${Daemon.count++}`;
    writeFileSync(join(this.dir, "fabric.net"), execFileSync(join(bin, "heddle-topo"), kind, { maxBuffer: 1 << 28 }));
    this.simulator = spawn(join(bin, "heddle-sim"), ["-s", "--socket", this.socket, "fabric.net"], { cwd: this.dir, stdio: ["pipe", "pipe", "inherit"] });
    this.console = "";
    this.simulator.stdout.on("data", (text) => (this.console += text));
    await until("the simulator is not ready", () => this.console.includes("sim> "));
    this.port = await freePort();
    writeFileSync(join(this.dir, "users"), `${USER}:read:${HASH}\n`, { mode: 0o600 });
    const lines = { http_listen: `127.0.0.1:${this.port}`, http_users_file: join(this.dir, "users"), http_plain_passwords: "TRUE", ...options };
    writeFileSync(join(this.dir, "opensm.conf"), Object.entries(lines).map(([key, value]) => `${key} ${value}\n`).join(""));
    await this.run();
  }

  async run() {
    const env = { ...process.env, OSM_CACHE_DIR: this.dir, OSM_TMP_DIR: this.dir, HEDDLE_RUN_DIR: join(this.dir, "run") };
    const log = join(this.dir, "log");
    const before = existsSync(log) ? readFileSync(log, "utf8").length : 0;
    this.manager = spawn(join(this.bin, "heddle-sim-run"), ["--socket", this.socket, join(this.bin, "heddle"), "-F", "opensm.conf", "-f", log], { cwd: this.dir, env, stdio: ["ignore", "ignore", "inherit"] });
    const isUp = () => existsSync(log) && readFileSync(log, "utf8").slice(before).includes("SUBNET UP");
    await until("the manager has no SUBNET UP", () => {
      if (this.hasEnded(this.manager)) throw new Error(`the manager has ended:\n${existsSync(log) ? readFileSync(log, "utf8").slice(-2000) : "no log"}`);
      return isUp();
    });
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
    await this.kill(this.manager, signal);
  }

  hasEnded(child) {
    return child.exitCode !== null || child.signalCode !== null;
  }
  async kill(child, signal) {
    if (!child || this.hasEnded(child)) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async stop() {
    await this.kill(this.manager, "SIGKILL");
    await this.kill(this.simulator, "SIGKILL");
    rmSync(this.dir, { recursive: true, force: true });
  }
}
Daemon.count = 0;
