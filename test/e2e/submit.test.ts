import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-submit-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const type = (...args: readonly string[]): Promise<Ended> => new SluiceProcess(args, {}, folder).ended;

test("unreadable inputs are reported before a job exists", async () => {
  const { code, stdout, stderr } = await type("submit", "page", "--input", "nowhere.txt");
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(stderr, /nowhere\.txt/);
  assert.ok(!existsSync(join(folder, "data")));
});

test("a file without a valid input leaves no job behind", async () => {
  for (const [name, text] of [
    ["empty.csv", ""],
    ["misfit.csv", "adress\nhttp://127.0.0.1:9/a\n"],
  ] as const) {
    writeFileSync(join(folder, name), text);
    const { code, stdout, stderr } = await type("submit", "page", "--input", name);
    assert.deepEqual([code, stdout], [2, ""], name);
    assert.ok(stderr.includes(name), stderr);
  }
  assert.equal((await type("jobs", "ls", "--all", "--json")).stdout, "");
});

test("submit prints only the id to stdout, and warns on stderr that no worker runs", async () => {
  writeFileSync(join(folder, "urls.txt"), "http://127.0.0.1:9/a\n");
  const { code, stdout, stderr } = await type("submit", "page", "--input", "urls.txt");
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\d{8}-\d{6}-\w+\n$/);
  assert.match(stderr, new RegExp(`sluice resume ${stdout.trim()}`));
  const { stdout: report } = await type("jobs", "show", stdout.trim());
  assert.match(report, /^Log +data\/logs\/worker\.jsonl$/m, "no run of its own has logged it");
  const shown = await type("jobs", "show", stdout.trim(), "--json");
  assert.equal((JSON.parse(shown.stdout) as { readonly state: string }).state, "running");
});

test("rejected inputs are shown with their lines, and all others are accepted", async () => {
  writeFileSync(join(folder, "some.csv"), "url\nhttp://127.0.0.1:9/a\nnot a url\n");
  const { code, stderr } = await type("submit", "page", "--input", "some.csv");
  assert.equal(code, 3);
  assert.match(stderr, /^ {2}1 item, 1 rejected\n {2}line 3: \S/m);
});

test("an unknown lane cannot be changed and is not created", async () => {
  for (const args of [
    ["set", "nowhere.test", "--rate", "3"],
    ["hold", "nowhere.test"],
  ]) {
    const { code, stderr } = await type("lanes", ...args);
    assert.equal(code, 2);
    assert.match(stderr, /nowhere\.test: no such lane/);
  }
  assert.ok(!(await type("lanes", "ls", "--json")).stdout.includes("nowhere.test"));
});

test("a client's weight and limits can be changed one by one, and removed", async () => {
  const client = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { code, stdout, stderr } = await type("clients", ...args, "--json");
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  await client("add", "tax", "--weight", "3", "--items-per-day", "10", "--max-running", "2");
  const { weight, itemsPerDay, maxRunning } = await client("set", "tax", "--items-per-day", "none");
  assert.deepEqual([weight, itemsPerDay, maxRunning], [3, null, 2]);
  assert.equal((await client("set", "tax", "--weight", "0.5"))["weight"], 0.5);
  assert.equal((await type("clients", "set", "tax")).code, 2, "nothing to set");
  assert.equal((await type("clients", "set", "nobody", "--weight", "1")).code, 2);
  assert.equal((await type("clients", "add", "local")).code, 2, "the command line's own");
});

test("export --json describes the written file", async () => {
  const told = await type("export", "last", "--output", "rows.csv", "--json");
  assert.equal(told.code, 0, told.stderr);
  const { output, rows } = JSON.parse(told.stdout) as Record<string, unknown>;
  assert.deepEqual([output, rows], ["rows.csv", 1]);
  assert.equal((await type("export", "last", "--json")).code, 2, "both would go to standard output");
});

test("an interrupted submit names the job and both ways to continue", async () => {
  const args = ["submit", "page", "--input", "-", "--format", "urls"];
  const submit = new SluiceProcess(args, {}, folder, "pipe");
  // A slow writer: one input comes, and the pipe stays open.
  submit.child.stdin!.write("http://127.0.0.1:9/slow\n");
  const job = async (): Promise<string | undefined> => {
    const [line = ""] = (await type("jobs", "ls", "--json")).stdout.split("\n");
    if (line === "") return undefined;
    const { job: id, isSealed } = JSON.parse(line) as { readonly job: string; readonly isSealed: boolean };
    return isSealed ? undefined : id;
  };
  let id: string | undefined;
  while ((id = await job()) === undefined);
  submit.child.kill("SIGINT");
  const { code, stderr } = await submit.ended;
  assert.equal(code, 5);
  assert.match(stderr, new RegExp(`sluice submit --job ${id} --input`));
  assert.match(stderr, new RegExp(`sluice jobs cancel ${id}`));
});
