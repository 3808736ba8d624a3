#!/usr/bin/env node
// Written so that an old Node understands it too: it finds a newer one, or says what is missing.
import { spawn } from "child_process";
import { existsSync } from "fs";
import module from "module";
import { constants, tmpdir } from "os";
import { dirname, join } from "path";
import { isatty } from "tty";
import { fileURLToPath } from "url";
import { childEnvironment, endWithParent, PARENT_GONE } from "./end-with-parent.js";
import { ignoreHangUp, NO_HANG_UP } from "./hang-up.js";

const NEEDED = 24;

function majorOf(version) {
  return Number(version.split(".")[0]);
}

/** The Node that came as a dependency of this platform. */
function findNewerNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  try {
    const require = module.createRequire(import.meta.url);
    const manifest = require.resolve("node-" + platform + "-" + process.arch + "/package.json");
    const binary = join(dirname(manifest), "bin", platform === "win" ? "node.exe" : "node");
    return majorOf(require(manifest).version) >= NEEDED && existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

function runWith(binary) {
  const script = fileURLToPath(import.meta.url);
  const child = spawn(binary, [script].concat(process.argv.slice(2)), {
    stdio: "inherit",
    env: Object.assign(childEnvironment(), { SLUICE_CALLED_AS: process.argv[1] }),
  });
  const passOn = (signal) => child.kill(signal);
  // A terminal sends its interrupt to both; passed on, the child would take it for a second one.
  process.on("SIGINT", () => [0, 1, 2].some(isatty) || child.kill("SIGINT"));
  process.on("SIGTERM", passOn);
  if (process.env[NO_HANG_UP] === undefined) process.on("SIGHUP", passOn);
  process.on(PARENT_GONE, () => child.kill("SIGTERM"));
  child.on("exit", (code, signal) => {
    process.exitCode = code === null ? 128 + (constants.signals[signal] || 0) : code;
  });
}

/**
 * Left alone, the engine lets the garbage of an upload grow to several times what is in use, and gives its youngest part 130 MB more. That is settled
 * when a process begins: so a server begins again, in its own place, unless its owner has said how much it may take.
 */
const SERVER_HEAP = ["--max-old-space-size=1024", "--max-semi-space-size=8"];

function beginAgainAsServer() {
  const said = process.execArgv.concat(process.env.NODE_OPTIONS || "").join(" ");
  const isSaid = /--max[-_](old|semi)[-_]space[-_]size/.test(said);
  // Windows has no such call, and a parent that talks to this process would lose it.
  if (isSaid || process.platform === "win32" || process.send || !process.execve) return;
  const flags = process.execArgv.concat(SERVER_HEAP);
  // With an allocator's pool for each thread, what one has freed is of no use to the others: that was 80 MB. Large pieces go back at once.
  const allocator = {
    MALLOC_ARENA_MAX: "2",
    MALLOC_MMAP_THRESHOLD_: "262144",
    MALLOC_TRIM_THRESHOLD_: "1048576",
  };
  const environment = Object.assign(allocator, process.env);
  process.execve(process.execPath, [process.execPath].concat(flags, process.argv.slice(1)), environment);
}

async function start() {
  if (process.argv[2] === "serve") beginAgainAsServer();
  // Worker processes find the cache through the environment.
  if (process.env.NODE_COMPILE_CACHE === undefined)
    process.env.NODE_COMPILE_CACHE = join(tmpdir(), "node-compile-cache");
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  // A clone has the sources, an installed package what was built from them.
  const isClone = existsSync(new URL("../src", import.meta.url));
  const { main } = await import(isClone ? "../src/cli/main.ts" : "../dist/cli/main.js");
  process.exitCode = await main(process.argv.slice(2));
}

ignoreHangUp();
// npx, or a shell, dies of the hang-up that this program was started to outlive.
if (process.env[NO_HANG_UP] === undefined) endWithParent();
if (majorOf(process.versions.node) >= NEEDED) {
  void start();
} else {
  const newer = findNewerNode();
  if (newer !== undefined) {
    runWith(newer);
  } else {
    console.error(
      "error: Sluice needs Node " +
        NEEDED +
        " or newer; this is " +
        process.version +
        ". On Linux and 64-bit Windows `npm ci` brings Node 24 along, unless optional dependencies are switched off. Elsewhere, install Node 24.",
    );
    process.exitCode = 2;
  }
}
