import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "..");
const BLOCK = /^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm;

/** Does literally what a guide says: writes its files and runs its commands, in a copy of the clone. */
const follow = async (guide: string): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-guide-"));
  for (const part of ["bin", "src", "examples", "package.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const script = ["set -e"];
  const guideText = readFileSync(join(ROOT, guide), "utf8").replaceAll("8700", `${await freePort()}`);
  for (const [, language, file, text] of guideText.matchAll(BLOCK)) {
    if (file !== undefined) writeFileSync(join(folder, file), text!);
    else if (language === "sh") script.push(text!);
  }
  const shell = spawn("bash", ["-c", script.join("\n")], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  shell.stdout.on("data", (data: Buffer) => (output += data.toString()));
  shell.stderr.on("data", (data: Buffer) => (output += data.toString()));
  const code = await new Promise((ended) => shell.once("exit", ended));
  // The guide's site is still running, in the shell's process group.
  process.kill(-shell.pid!, "SIGTERM");
  assert.equal(code, 0, output);
  return folder;
};

/** The guide names a port that a reader can type into a browser; here it gets one that is free. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};

test("the first scraper, written and run as the guide says", async () => {
  const folder = await follow("docs/first-scraper.md");
  const rows = readFileSync(join(folder, "bills.csv"), "utf8").trimEnd().split("\n");
  assert.equal(rows.length, 201);
  assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  assert.equal(readFileSync(join(folder, "first.csv"), "utf8").trimEnd().split("\n").length, 6);
  assert.equal(readFileSync(join(folder, "bills.jsonl"), "utf8").trimEnd().split("\n").length, 200);
  rmSync(folder, { recursive: true, force: true });
});
