import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Service } from "./service-process.ts";
import { type Ended, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-unreadable-"));
const URLS = "http://127.0.0.1:9/a\nhttp://127.0.0.1:9/b\n";

const WRONG = {
  "missing.csv": undefined,
  folder: "folder",
  "empty.csv": "",
  "header-only.csv": "url\n",
  "misfit.csv": "adress\nhttp://127.0.0.1:9/a\n",
  "binary.csv": Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 8]),
  "latin.csv": Buffer.from([0x75, 0x72, 0x6c, 0x0a, 0xe4, 0xf6, 0x0a]),
  "cut.csv.gz": gzipSync("url\n".repeat(1000)).subarray(0, 20),
  "bad.json": '[{"url": ',
} as const;

let service: Service;

before(async () => {
  for (const [name, content] of Object.entries(WRONG)) {
    if (content === "folder") mkdirSync(join(folder, name));
    else if (content !== undefined) writeFileSync(join(folder, name), content);
  }
  service = new Service(join(folder, "service"));
  await service.serve();
});
after(async () => {
  await service?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const type = (...args: readonly string[]): Promise<Ended> => new SluiceProcess(args, {}, folder).ended;
/** The same with the service's address and key. */
const submit = (...args: readonly string[]): SluiceProcess =>
  new SluiceProcess(
    ["submit", "page", "--server", service.url, ...args],
    { SLUICE_KEY: service.key },
    folder,
    "pipe",
  );
const jobsAt = async (): Promise<readonly string[]> =>
  (await service.client.listJobs()).data.map(({ id }) => id);

test("unreadable or invalid inputs make no job, and neither do wrong options", async () => {
  for (const name of Object.keys(WRONG)) {
    const { code, stderr } = await type("run", "page", "--input", name);
    assert.equal(code, 2, `${name}: ${stderr}`);
    assert.ok(stderr.includes(name), stderr);
  }
  for (const args of [
    ["--input", "-"],
    ["--input", "-", "--format", "csv"],
    ["--input", "-", "--format", "urls"],
    ["--input", "header-only.csv", "--limit", "0"],
    ["--input", "header-only.csv", "--format", "xml"],
    ["--input", "header-only.csv", "--output", "rows.doc"],
  ])
    assert.equal((await type("run", "page", ...args)).code, 2, args.join(" "));
  assert.ok(!existsSync(join(folder, "data")), "not even a data folder");
});

test(
  "an input file without read permission makes no job",
  { skip: process.getuid?.() === 0 && "root may read everything" },
  async () => {
    const file = join(folder, "secret.csv");
    writeFileSync(file, `url\n${URLS}`);
    chmodSync(file, 0o000);
    assert.equal((await type("run", "page", "--input", file)).code, 2);
  },
);

test("the same inputs make no job on a server", async () => {
  for (const name of ["folder", "header-only.csv", "binary.csv"]) {
    const { code, stderr } = await submit("--input", name).ended;
    assert.equal(code, 2, `${name}: ${stderr}`);
  }
  const empty = submit("--input", "-", "--format", "urls");
  empty.child.stdin!.end();
  assert.equal((await empty.ended).code, 2);
  assert.deepEqual(await jobsAt(), []);
});

test("a pipe is read once, and all of it arrives", async () => {
  const fifo = join(folder, "pipe");
  execFileSync("mkfifo", [fifo]);
  const submitted = submit("--input", fifo);
  createWriteStream(fifo).end(URLS);
  const { code, stdout, stderr } = await submitted.ended;
  assert.equal(code, 0, stderr);
  const { counts, isSealed } = await service.client.getJob(stdout.trim());
  assert.deepEqual([counts.accepted, isSealed], [2, true]);

  const piped = submit("--input", "-", "--format", "csv");
  piped.child.stdin!.end(`url\nhttp://127.0.0.1:9/c\nno url\n`);
  const some = await piped.ended;
  assert.equal(some.code, 3, some.stderr);
  assert.match(some.stderr, /line 3: /);
});

test("an interrupted submit names the job and three ways to continue, and each of them works", async () => {
  const submitted = submit("--input", "-", "--format", "urls");
  const known = (await jobsAt()).length;
  submitted.child.stdin!.write(URLS);
  let job: string | undefined;
  while (job === undefined) {
    const { data } = await service.client.listJobs();
    if (data.length > known && data[0]!.counts.received > 0) job = data[0]!.id;
  }
  submitted.child.kill("SIGINT");
  const { code, stderr } = await submitted.ended;
  assert.equal(code, 5);
  const shown = (verb: string): string[] => {
    const [, command] = new RegExp(`sluice (${verb} .*${job}.*)$`, "m").exec(stderr) ?? [];
    assert.ok(command !== undefined, stderr);
    return command.split(" ");
  };
  writeFileSync(join(folder, "FILE"), `${URLS}http://127.0.0.1:9/d\n`);
  shown("jobs cancel");
  const again = await new SluiceProcess(shown("submit --job"), { SLUICE_KEY: service.key }, folder).ended;
  assert.equal(again.code, 0, again.stderr);
  const { counts, isSealed } = await service.client.getJob(job);
  assert.deepEqual([counts.accepted, isSealed], [3, true]);
  const late = await new SluiceProcess(shown("jobs seal"), { SLUICE_KEY: service.key }, folder).ended;
  assert.match(late.stderr, /the job already has all of its inputs/);
});

test("a job whose sender is gone ends with its items when it is sealed", async () => {
  const { job } = await service.client.createJob({ scraper: "page", seal: false });
  const sealed = await new SluiceProcess(
    ["jobs", "seal", job.id, "--server", service.url],
    { SLUICE_KEY: service.key },
    folder,
  ).ended;
  assert.equal(sealed.code, 0, sealed.stderr);
  assert.equal((await service.client.getJob(job.id)).state, "done");
});
