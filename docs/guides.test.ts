// e2e: runs the guides' commands
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { browserOrSkip, noBrowser } from "../test/browser.ts";
import { noRadosgw, Radosgw } from "../test/radosgw.ts";
import { freePort } from "../test/free-port.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Of the site, of a webhook's receiver, of the service: numbers that a reader can type into a browser. */
const PORT = /\b(?:8700|8701|7070)\b/g;
const LONGEST_MS = 540_000;
/** The parts of the clone that guides use. */
const COPIED = ["bin", "src", "examples", "templates", "package.json"];
const BLOCK = /^```(\w+)(?: file=(\S+))?\n([\s\S]*?)^```$/gm;

/**
 * Does literally what a guide says, in its order: writes its files and runs its commands, in a copy of the clone. `check` is a command of the
 * test's own, put after one of the guide's.
 */
const follow = async (
  guide: string,
  check?: { readonly after: string; readonly run: string },
): Promise<{ folder: string; output: string }> => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-guide-"));
  for (const part of [...COPIED, ".oxfmtrc.json", ".oxlintrc.json"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
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
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, "config") },
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
    ["oxfmt", "--check", ".", ...COPIED.map((part) => `!${part}`)],
    [
      "oxlint",
      "--deny-warnings",
      "--no-error-on-unmatched-pattern",
      ...COPIED.map((part) => `--ignore-pattern=/${part}`),
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

const linesOf = (...path: string[]): string[] =>
  readFileSync(join(...path), "utf8")
    .trimEnd()
    .split("\n");

test("the first scraper, drafted, written, tested and run as the guide says", async () => {
  const { folder, output } = await follow("docs/first-scraper.md");
  const project = join(folder, "my-scrapers");
  const rows = linesOf(project, "bills.csv");
  assert.equal(rows.length, 201);
  assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  assert.equal(linesOf(project, "first.csv").length, 6);
  assert.equal(linesOf(project, "bills.jsonl").length, 200);
  assert.deepEqual(globSync("scrapers/willow/fixtures/*", { cwd: project }).length, 2);
  assert.match(output, /2 scrapers · 3 cases/);
  rmSync(folder, { recursive: true, force: true });
});

test("from recording to HTTP: the written scraper is proved and run, and the signed site is refused", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { folder, output } = await follow("docs/distill.md");
  const project = join(folder, "my-distilled");
  assert.match(output, /Proved with 22 inputs, \d of them absent/);
  assert.match(output, /query `sig` changes between runs and comes from no earlier response/);
  assert.match(output, /refused with 3/);
  const rows = linesOf(project, "taxes.csv");
  assert.equal(rows.length, 202);
  assert.equal(rows.filter((row) => row.includes(",absent,")).length, 1);
  rmSync(folder, { recursive: true, force: true });
});

test("forms, sessions and hops: the item of the guide is tried step by step", async () => {
  const { folder, output } = await follow("docs/forms.md");
  assert.match(output, /POST +\/search\.aspx +200/);
  assert.match(output, /stored file bill +application\/pdf/);
  rmSync(folder, { recursive: true, force: true });
});

test("proxies: a county that blocks this machine is collected through a tier, and the report has its cost", async () => {
  const { folder, output } = await follow("docs/proxies.md");
  const rows = linesOf(join(folder, "my-proxies"), "taxes.csv");
  assert.equal(rows.length, 101);
  assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  assert.match(output, /datacenter +\d/);
  rmSync(folder, { recursive: true, force: true });
});

test("fixtures and tests, as the guide says", async () => {
  const { folder } = await follow("docs/fixtures.md");
  rmSync(folder, { recursive: true, force: true });
});

test("stored pages: extracted again without the site, as the guide says", async () => {
  // Where the guide says that the site is gone, it must be.
  const { folder, output } = await follow("docs/stored-pages.md", {
    after: "wait $SITE || true\n",
    run: `if (exec 3<>/dev/tcp/127.0.0.1/8700) 2>/dev/null; then echo "the site still answers"; exit 1; fi\n`,
  });
  assert.equal(linesOf(folder, "back.csv")[0], linesOf(folder, "first.csv")[0]);
  assert.match(output, /marketValue +– +– +200/);
  assert.match(output, /billLink +200/);
  const [header = "", ...rows] = linesOf(folder, "again.csv");
  assert.ok(header.includes("billLink"));
  assert.equal(rows.length, 200);
  assert.ok(!linesOf(folder, "first.csv")[0]!.includes("billLink"));
  assert.match(output, /collected.csv: 200 records/);
  rmSync(folder, { recursive: true, force: true });
});

test("retention: an item is shown, its pages and then its job are removed, as the guide says", async () => {
  const { folder, output } = await follow("docs/retention.md");
  assert.match(output, /Attempts: 1, \d+ requests/);
  assert.match(output, /\.owner/);
  assert.match(output, /40 files .* written to bills/);
  assert.match(output, /^\d{10}-bill\.pdf$/m);
  assert.match(output, /Removed the pages of 1 job: 0 items, 80 captures/);
  assert.equal(linesOf(folder, "still-there.csv").length, 41);
  assert.match(output, /the job was removed on .*: 40 items/);
  assert.match(output, /Nothing is due by the `retention` of any scraper/);
  rmSync(folder, { recursive: true, force: true });
});

test("drift: a field that loses values is found and accepted, as the guide says", async () => {
  const { folder, output } = await follow("docs/drift.md");
  assert.match(output, /No open findings/);
  assert.match(
    output,
    /marketValue: \d+\.\d % records without a value, where \d+\.\d % were expected from 4 earlier runs/,
  );
  assert.match(output, /drift ended with 4/);
  assert.match(output, /accepted by local: the county publishes no values of new parcels/);
  rmSync(folder, { recursive: true, force: true });
});

test("releases: a good one is published, a bad one is held, published with a reason and rolled back, as the guide says", async () => {
  const { folder, output } = await follow("docs/releases.md");
  assert.equal(linesOf(folder, "taxes.csv").length, 61);
  assert.equal(linesOf(folder, "taxes.csv")[0], "key,owner,marketValue,taxDue,exemptions,_gaps");
  assert.match(output, /fail +rows: 6 rows, at least 50 wanted/);
  assert.match(output, /write ended with 4/);
  assert.match(output, /54 gone rows, such as \d{10}/);
  assert.match(output, /^ +2 +withdrawn/m);
  assert.match(output, /^ +1 +current/m);
  rmSync(folder, { recursive: true, force: true });
});

test("backup: damage is reported, repaired where possible, and a backup is restored, as the guide says", async () => {
  const { folder, output } = await follow("docs/backup.md");
  assert.match(output, /records: jobs\/.*: its records .* are damaged/);
  assert.match(output, /fsck ended with 6\n/);
  assert.match(output, /export ended with 6\n/);
  assert.equal(linesOf(folder, "checked.csv").length, 40);
  assert.match(output, /index: .*\.cdxj: it is missing/);
  assert.match(output, /problems?, \d+ repaired/);
  assert.match(output, /Backup of \.\/data in copy-of-data: as of/);
  assert.equal(linesOf(folder, "restored.csv").length, 41);
  assert.match(output, /done, 40 of 40 items recovered with their data/);
  assert.equal(linesOf(folder, "rebuilt.csv").length, 41);
  rmSync(folder, { recursive: true, force: true });
});

test("the archive in a bucket, as the guide says", async (t) => {
  const reason = noRadosgw();
  if (reason !== undefined) return t.skip(reason);
  await using store = await Radosgw.start();
  Object.assign(process.env, store.env, { S3_ENDPOINT: store.endpoint });
  const { folder, output } = await follow("docs/s3.md");
  assert.equal(linesOf(folder, "my-bucket-job/bills.csv").length, 61);
  assert.match(output, /storage +\d/);
  assert.match(output, /no problems/);
  rmSync(folder, { recursive: true, force: true });
});

test("fields: each status is shown with its reason, and gaps are kept, dropped or filled as the guide says", async () => {
  const { folder, output } = await follow("docs/fields.md");
  assert.match(output, /tax\.due +malformed +\$4,5I2\.37 +#taxdue/);
  assert.match(output, /expects an amount of money/);
  assert.match(output, /^ +taxRate( +\d+ +[\d.]+%){4}$/m);
  assert.equal(linesOf(folder, "all.csv").length, 101);
  const whole = linesOf(folder, "whole.csv").length - 1;
  assert.ok(whole > 0);
  assert.ok(output.includes(`${100 - whole} records dropped for missing values`));
  const [header = "", ...filled] = linesOf(folder, "filled.csv");
  const marketValue = header.split(",").indexOf("marketValue");
  assert.equal(marketValue, 3);
  assert.ok(filled.some((row) => /^\d{10},\d{10},(?:"[^"]*"|[^,]*),0,/.test(row)));
  rmSync(folder, { recursive: true, force: true });
});

test("XML, feeds and JSON: a scraper for each, tried, run, captured, tested, extracted again and exported", async () => {
  const { folder, output } = await follow("docs/xml-and-json.md");
  const rowsOf = (file: string): Record<string, unknown>[] =>
    linesOf(folder, file).map((line) => JSON.parse(line) as Record<string, unknown>);
  const news = rowsOf("news.jsonl");
  assert.equal(news.length, 3);
  assert.equal(news[2]!["title"], "Library <closed> on Monday");
  assert.equal(news[0]!["html"], "<p>All about <b>Budget &amp; taxes</b>.</p>");
  assert.match(String(news[1]!["link"]), /^http:.*\/pages\/2\?from=rss&n=1$/);
  assert.equal(news[0]!["author"], "Town clerk");
  assert.equal(news[0]!["published"], "2024-02-02T16:05:00Z");
  const [notice] = rowsOf("notices.jsonl");
  assert.equal(notice!["title"], "Notice <i>1</i>");
  assert.match(String(notice!["link"]), /^http:.*\/pages\/1$/);
  assert.equal(notice!["summary"], "Hearing at noon");
  const pages = rowsOf("pages.jsonl").filter(({ _scraper }) => _scraper === "notice-page");
  assert.deepEqual(
    pages.map(({ title }) => String(title)).toSorted(),
    [1, 2, 3, 4, 5, 6].map((n) => `Notice ${n}`),
  );
  // The parcel that the service does not know is absent.
  const assessed = rowsOf("assessed.jsonl").filter(({ owner }) => owner !== null);
  assert.deepEqual(
    assessed.map(({ owner, marketValue, currency }) => [owner, marketValue, currency]),
    [
      ["Ann Smith", 184_890, "USD"],
      ["José Núñez", 284_890, "USD"],
      ["Smith & Sons", 384_890, "USD"],
    ],
  );
  const permits = rowsOf("permits.jsonl");
  assert.deepEqual(
    permits.map(({ id }) => Number(id) - 4000).sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  assert.ok(permits.every(({ total }) => total === 10));
  assert.deepEqual(permits.find(({ id }) => id === 4002)!["inspections"], [
    { on: "2024-04-01", passed: true },
    { on: "2024-04-02", passed: false },
  ]);
  assert.deepEqual(
    rowsOf("fees.jsonl")
      .map(({ fee, tax }) => [fee, tax])
      .at(0),
    [125.5, 12.55],
  );
  assert.equal(linesOf(folder, "fees.csv").length, 5);
  // Where each value stands in the XML and in the JSON.
  assert.match(output, /author +present +Town clerk +dc\|creator +\d+:\d+/);
  assert.match(output, /applicant +present +Applicant 1 +path applicant\.name +\d+:\d+/);
  assert.deepEqual(globSync("fixtures/*/*.{xml,json}", { cwd: folder }).length, 6);
  rmSync(folder, { recursive: true, force: true });
});

test("the service: started, logged in to, and used by a client, as the guide says", async () => {
  const { folder, output } = await follow("docs/service.md");
  const service = join(folder, "my-service");
  for (const name of ["bills.csv", "over-http.csv"]) {
    const rows = linesOf(service, name);
    assert.equal(rows.length, 201);
    assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  }
  assert.match(output, /Logged in to .* as default \(admin\)/);
  // The receiver has checked its signature.
  assert.match(output, /^msg_\S+ job\.completed \d{8}-\d{6}-\w+$/m);
  assert.deepEqual(globSync("sluice/servers.json", { cwd: join(folder, "config") }).length, 1);
  rmSync(folder, { recursive: true, force: true });
});

test("many machines: a worker that has only the controller runs the job of the guide", async () => {
  const { folder, output } = await follow("docs/many-machines.md");
  const rows = linesOf(folder, "controller", "bills.csv");
  assert.equal(rows.length, 201);
  assert.deepEqual(globSync("**/blobs", { cwd: join(folder, "machine-2") }), []);
  assert.match(readFileSync(join(folder, "machine-2/worker.txt"), "utf8"), /Working for all jobs of http:/);
  assert.match(output, /-worker +\S+ +0 +200 /);
  rmSync(folder, { recursive: true, force: true });
});

test("schedules: an input set is changed, a schedule runs, another follows, and a stage is repeated", async () => {
  const { folder, output } = await follow("docs/schedules.md");
  assert.match(output, /county-monthly +county +0 6 1 \* \* America\/Chicago/);
  assert.match(output, /parcels, version 1 to 2: 0 added, 10 removed, 0 changed, 30 unchanged/);
  assert.match(output, /2026-\S+Z +done +\S+ +collect done/);
  assert.match(output, /3 times will fire, one after another; 0 had fired/);
  rmSync(folder, { recursive: true, force: true });
});

test("deploying scrapers: the guide's job runs on a worker that never had the scraper's file", async () => {
  const { folder, output } = await follow("docs/deploying-scrapers.md");
  const rows = linesOf(folder, "server", "bills.csv");
  assert.equal(rows.length, 51);
  assert.ok(rows.slice(1).every((row) => row.includes(",done,")));
  assert.match(output, /county +[0-9a-f]{16} .* deployed\n/);
  assert.match(output, /county +[0-9a-f]{16} .* already there/);
  rmSync(folder, { recursive: true, force: true });
});

test("versions: a version that loses values is refused, and a broken canary is rolled back", async () => {
  const { folder, output } = await follow("docs/versions.md");
  assert.match(output, /owner +\d+ +0 +120 +0 +refused/);
  assert.match(output, /canary rolled-back since .* items of the canary/);
  assert.match(output, /is active again: new jobs use it/);
  rmSync(folder, { recursive: true, force: true });
});

test("browser scrapers: tried, run, captured and tested, and one that finds out by itself where it needs a browser", async (t) => {
  if (!(await browserOrSkip(t))) return;
  const { folder, output } = await follow("docs/browser.md");
  assert.match(output, /^Browser +\S+, (headless shell|full Chromium) [\d.]+, found /m);
  assert.equal(linesOf(folder, "scripted.csv").length, 21);
  assert.match(output, /1 scraper · 1 case/);
  const [plain, scripted] = ["plain-bills.csv", "script-bills.csv"].map((file) =>
    linesOf(folder, file)
      .map((line) => line.replace(/\/(?:search|app)/g, ""))
      .toSorted(),
  );
  assert.equal(plain!.length, 9);
  assert.deepEqual(plain, scripted);
  assert.match(output, /^In a browser: either on /m);
  assert.match(output, /^HTTP first: either on /m);
  rmSync(folder, { recursive: true, force: true });
});

test(
  "recordings: a recorded flow becomes a scraper, with absent items, files and an adapter",
  { skip: noBrowser },
  async () => {
    const { folder, output } = await follow("docs/recordings.md");
    const [header = "", ...rows] = linesOf(folder, "my-recordings", "parcels-found.csv");
    assert.match(header, /owner,marketValue,taxRate,exemptions/);
    assert.equal(rows.length, 41);
    assert.equal(rows.filter((row) => row.includes(",done,")).length, 40);
    assert.equal(rows.filter((row) => /^0000000000,.*,absent,/.test(row)).length, 1);
    assert.match(output, /1 scraper · 1 case/);
    assert.match(output, /stored file bill +application\/pdf/);
    rmSync(folder, { recursive: true, force: true });
  },
);
