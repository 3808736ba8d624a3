import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../test/free-port.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Of the site, of a webhook's receiver, of the service: numbers that a reader can type into a browser. */
const PORT = /\b(?:8700|8701|7070)\b/g;
const LONGEST_MS = 540_000;
/** The parts of the clone that guides use, and may write to. */
const COPIED = ["examples", "package.json"];
/** The rest is linked: what was compiled of it is kept under its real path. */
const LINKED = ["bin", "src", "templates", "node_modules"];
const PARTS = [...COPIED, ...LINKED];
const BLOCK = /^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm;

/** What npx runs in a clone, without the second or two that it takes to find it. */
const NPX = `#!/bin/bash
clone=$(dirname "$(dirname "$0")")
case $1 in
  sluice) exec "$clone/node_modules/.bin/node" "$clone/bin/sluice.js" "\${@:2}" ;;
  *) exec "$clone/node_modules/.bin/$1" "\${@:2}" ;;
esac
`;

/**
 * Does literally what a guide says, in its order: writes its files and runs its commands, in a copy of the clone. `check` is a command of the
 * test's own, put after one of the guide's.
 */
export const follow = async (
  guide: string,
  {
    check,
    npx = NPX,
  }: {
    readonly check?: { readonly after: string; readonly run: string };
    /** Empty for the one that is installed. */
    readonly npx?: string;
  } = {},
): Promise<{ folder: string; output: string }> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-guide-"));
  for (const part of [...COPIED, ".oxfmtrc.json", ".oxlintrc.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  for (const part of LINKED) symlinkSync(join(ROOT, part), join(folder, part));
  const tools = join(folder, ".path");
  mkdirSync(tools);
  if (npx !== "") writeFileSync(join(tools, "npx"), npx, { mode: 0o755 });
  const script = ["set -e"];
  const written = readFileSync(join(ROOT, guide), "utf8");
  assert.ok(check === undefined || written.includes(check.after), `${guide} does not say ${check?.after}`);
  const guideText = check ? written.replace(check.after, check.after + check.run) : written;
  const ports = new Map<string, string>();
  for (const [port] of guideText.matchAll(PORT)) ports.set(port, ports.get(port) ?? `${await freePort()}`);
  for (const [, language, file, text] of guideText
    .replaceAll(PORT, (port) => ports.get(port)!)
    .matchAll(BLOCK)) {
    if (file !== undefined) script.push(`cat > '${join(folder, file)}' <<'END OF FILE'\n${text}END OF FILE`);
    else if (language === "sh") script.push(text!);
  }
  const shell = spawn("bash", ["-c", script.join("\n")], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    // A guide that logs in leaves the keys of whoever runs the tests alone.
    env: {
      ...process.env,
      XDG_CONFIG_HOME: join(folder, "config"),
      PATH: `${tools}:${process.env["PATH"]}`,
    },
  });
  let output = "";
  shell.stdout.on("data", (data: Buffer) => (output += data.toString()));
  shell.stderr.on("data", (data: Buffer) => (output += data.toString()));
  // A guide that waits for what does not come is ended, and its output shown.
  const patience = setTimeout(() => process.kill(-shell.pid!, "SIGKILL"), LONGEST_MS);
  const code = await new Promise((ended) => shell.once("exit", ended));
  clearTimeout(patience);
  await endGroup(shell.pid!);
  assert.equal(code, 0, output);
  assertClean(folder);
  return { folder, output };
};

/** Files that a guide leaves in the clone pass the checks, or are ignored by them. What was copied is not checked here. */
const assertClean = (folder: string): void => {
  for (const [tool, ...args] of [
    ["oxfmt", "--check", ".", ...PARTS.map((part) => `!${part}`)],
    [
      "oxlint",
      "--deny-warnings",
      "--no-error-on-unmatched-pattern",
      ...PARTS.map((part) => `--ignore-pattern=/${part}`),
    ],
  ] as const) {
    const { status, stdout } = spawnSync(join(ROOT, "node_modules/.bin", tool), args, {
      cwd: folder,
      encoding: "utf8",
    });
    assert.equal(status, 0, `${tool}:\n${stdout}`);
  }
};

/** The guide's site and service are still running, in the shell's process group, and write to its folder until they have ended. */
const endGroup = async (group: number): Promise<void> => {
  for (let signal: NodeJS.Signals | 0 = "SIGTERM"; ; signal = 0) {
    try {
      process.kill(-group, signal);
    } catch {
      return; // Nobody is left.
    }
    await delay(50);
  }
};

export const linesOf = (...path: string[]): string[] =>
  readFileSync(join(...path), "utf8")
    .trimEnd()
    .split("\n");
