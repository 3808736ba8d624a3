import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { childrenOf, ROOT } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-signals-"));
const BIN = join(ROOT, "bin/sluice.js");
/** Long enough for any machine. */
const DEADLINE_MS = 90_000;

/** A project that has Sluice installed. */
const project = join(folder, "project");
mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
symlinkSync(ROOT, join(project, "node_modules/sluice"));
symlinkSync(BIN, join(project, "node_modules/.bin/sluice"));
writeFileSync(
  join(project, "package.json"),
  JSON.stringify({ name: "p", private: true, scripts: { sluice: "sluice" } }),
);

/** Without npm's variables, so that a test started by npm behaves like any other. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|SLUICE_|NODE_TEST)/.test(name)),
);
const ownPath = (env["PATH"] ?? "")
  .split(delimiter)
  .filter((part) => !part.includes("node_modules"))
  .join(delimiter);

const answersOf = (program: string, args: readonly string[], path: string): string | undefined => {
  try {
    return execFileSync(program, args, {
      env: { ...env, PATH: path },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
};
/** An older Node than Sluice needs, if the machine has one. */
const oldNode = answersOf(
  "node",
  ["-p", "+process.versions.node.split('.')[0] < 24 ? process.execPath : ''"],
  ownPath,
);
const hasNpx = answersOf("npx", ["--version"], ownPath) !== undefined;
const mayUnshare = answersOf("unshare", ["--pid", "--fork", "--mount-proc", "true"], ownPath) !== undefined;

const groups = new Set<number>();
after(() => {
  for (const group of groups)
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // no process is left
    }
  rmSync(folder, { recursive: true, force: true });
});

/** Processes of the group without zombies. */
const membersOf = (group: number): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, "utf8")
          .replace(/^.*\) /s, "")
          .split(" ");
        if (Number(pgrp) !== group || state === "Z" || state === "X") return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`];
      } catch {
        return []; // the process has just ended
      }
    });

const nothingLeft = async (group: number): Promise<void> => {
  const endsAt = performance.now() + DEADLINE_MS;
  for (let left = membersOf(group); left.length > 0; left = membersOf(group)) {
    assert.ok(performance.now() < endsAt, `left behind:\n${left.join("\n")}`);
    await delay(100);
  }
};

const serveArgs = (): string[] => [
  "serve",
  "--port",
  "0",
  "--workers",
  "1",
  "--no-key",
  "--data",
  mkdtempSync(join(folder, "data-")),
];

/** Starts it in its own process group, so that all its processes can be found. Resolves when the server listens and its worker runs. */
const start = async (program: string, args: readonly string[]): Promise<ChildProcess> => {
  const child = spawn(program, args, {
    cwd: project,
    env: { ...env, PATH: ownPath },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  groups.add(child.pid!);
  let said = "";
  child.stderr.on("data", (data: Buffer) => (said += data.toString()));
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`it ended: ${said}`)));
  ended.catch(() => undefined);
  while (!said.includes("Listening on")) {
    const [data] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer];
    said += data.toString();
  }
  const endsAt = performance.now() + DEADLINE_MS;
  while (!membersOf(child.pid!).some((line) => line.includes("worker-main"))) {
    assert.ok(performance.now() < endsAt, "no worker was started");
    await delay(50);
  }
  return child;
};

const quoted = (args: readonly string[]): string => args.map((arg) => `'${arg}'`).join(" ");

interface Way {
  readonly name: string;
  readonly command: () => readonly [program: string, args: readonly string[]];
  readonly signals: readonly NodeJS.Signals[];
  readonly skip?: string | false;
}

const WAYS: readonly Way[] = [
  {
    name: "npx",
    command: () => ["npx", ["--no-install", "sluice", ...serveArgs()]],
    signals: ["SIGTERM", "SIGKILL"],
    skip: !hasNpx && "there is no npx",
  },
  {
    name: "npm run",
    command: () => ["npm", ["run", "sluice", "--", ...serveArgs()]],
    signals: ["SIGTERM"],
    skip: !hasNpx && "there is no npm",
  },
  {
    name: "node bin/sluice.js",
    command: () => [process.execPath, [BIN, ...serveArgs()]],
    signals: ["SIGINT", "SIGHUP", "SIGKILL"],
  },
  {
    name: "an older Node, which starts the newer one",
    command: () => [oldNode!, [BIN, ...serveArgs()]],
    signals: ["SIGTERM", "SIGKILL"],
    skip: !oldNode && "the only Node here is new enough",
  },
  {
    name: "sh -c",
    command: () => ["sh", ["-c", `${quoted([process.execPath, BIN, ...serveArgs()])}; exit 0`]],
    signals: ["SIGTERM", "SIGKILL"],
  },
];

for (const { name, command, signals, skip = false } of WAYS)
  for (const signal of signals)
    test(`${signal} to a server that was started by ${name} leaves no process`, { skip }, async () => {
      const child = await start(...command());
      child.kill(signal);
      await nothingLeft(child.pid!);
    });

test(
  "SIGTERM ends a server that is the first process of a container",
  { skip: !mayUnshare && "this user may not make a process namespace" },
  async () => {
    const child = await start("unshare", [
      "--pid",
      "--fork",
      "--mount-proc",
      process.execPath,
      BIN,
      ...serveArgs(),
    ]);
    const [first] = childrenOf(child.pid!);
    process.kill(first!, "SIGTERM");
    await nothingLeft(child.pid!);
  },
);

test("a server in the background of a shell survives the shell", async () => {
  const command = quoted([process.execPath, BIN, ...serveArgs()]);
  const child = spawn("sh", ["-c", `${command} & echo $!`], {
    env: { ...env, PATH: ownPath },
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  groups.add(child.pid!);
  const exited = once(child, "exit");
  let said = "";
  const listening = /Listening on (\S+)/;
  while (!listening.test(said)) said += String((await once(child.stdout, "data"))[0]);
  await exited;
  const [, url] = listening.exec(said)!;
  // Several times the interval in which a process checks its parent.
  await delay(2500);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  process.kill(Number(/^\d+$/m.exec(said)![0]), "SIGTERM");
  await nothingLeft(child.pid!);
});

const FAILING = {
  "an unknown option": ["run", "page", "--input", "urls.txt", "--no-such-option"],
  "a missing input": ["run", "page", "--input", "no-such-file.txt"],
  "a missing scraper": ["run", "no-such-scraper.ts", "--input", "no-such-file.txt"],
};

for (const [what, args] of Object.entries(FAILING))
  test(`a run that fails with ${what} leaves no worker behind`, async () => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: project,
      env,
      detached: true,
      stdio: "ignore",
    });
    groups.add(child.pid!);
    const [code] = (await once(child, "exit")) as [number];
    assert.equal(code, 2);
    await nothingLeft(child.pid!);
  });

test("a worker that was started early ends with its run, even if that is killed", async () => {
  const child = spawn(process.execPath, [BIN, "run", "page", "--input", "-"], {
    cwd: project,
    env,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  groups.add(child.pid!);
  while (childrenOf(child.pid!).length === 0) {
    assert.equal(child.exitCode, null);
    await delay(20);
  }
  child.kill("SIGKILL");
  await nothingLeft(child.pid!);
});
