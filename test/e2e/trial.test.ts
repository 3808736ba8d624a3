import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openStorage } from "../../src/compose.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { childrenOf, sluice, SluiceProcess } from "./sluice-process.ts";

/** What a scraper's code can do to `sluice try`. */
const folder = mkdtempSync(join(tmpdir(), "sluice-trial-"));
const data = join(folder, "data");
let site: LoopbackSite;

before(async () => void (site = await LoopbackSite.open()));
after(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, collect: string): string => {
  const file = join(folder, `${name}.scraper.ts`);
  writeFileSync(
    file,
    `import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "${name}",
  site: "${site.url}",
  input: z.object({ id: z.string() }),
  pace: { perSecond: Infinity },
  async collect({ input, http, keep }) {
    keep.page("page", await http.get("/" + input.id));
    ${collect}
  },
  extract: { fields: { text: field.text("b") } },
});
`,
  );
  return file;
};
const attempt = (file: string) => sluice(["try", file, "--data", data, "--input", "id=1", "--json"]);
interface End {
  readonly job: string;
  readonly outcome: string;
  readonly failure?: { readonly kind: string; readonly detail: string };
  readonly records: readonly { readonly job: string }[];
}
const endOf = (stdout: string): End => JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as End;
const stateOf = async (job: string): Promise<unknown> => {
  const { stdout } = await sluice(["jobs", "show", job, "--data", data, "--json"]);
  return (JSON.parse(stdout) as { state: unknown }).state;
};

const mishaps: readonly (readonly [string, string, RegExp])[] = [
  ["leaves", "process.exit(0);", /exit code 0/],
  [
    "throws-later",
    'setTimeout(() => { throw new TypeError("too late"); }, 1);\n    await new Promise(() => {});',
    /TypeError: too late \(throws-later\.scraper\.ts:10:\d+\)/,
  ],
  ["loops", "for (;;);", /was blocked/],
];
for (const [name, code, why] of mishaps)
  test(`a scraper that ${name} fails with the reason, and its job has ended`, async () => {
    const { code: exitCode, stdout } = await attempt(write(name, code));
    assert.equal(exitCode, 3);
    const { job, failure } = endOf(stdout);
    assert.equal(failure?.kind, "scraper-error");
    assert.match(failure.detail, why);
    assert.equal(await stateOf(job), "cancelled");
  });

test("one interrupt ends a hanging scraper and its process", async () => {
  const file = write("hangs", 'console.log("hanging"); await new Promise(() => setInterval(() => {}, 50));');
  const trying = new SluiceProcess(["try", file, "--data", data, "--input", "id=1", "--json"]);
  await trying.says(/hanging/);
  const children = childrenOf(trying.child.pid!);
  trying.child.kill("SIGINT");
  const { code, stdout } = await trying.ended;
  assert.equal(code, 5);
  const { job, outcome } = endOf(stdout);
  assert.equal(outcome, "interrupted");
  assert.equal(await stateOf(job), "cancelled");
  assert.ok(children.length > 0);
  for (const pid of children) assert.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("a scraper's output is shown, and its job is marked as a trial", async () => {
  const { stdout, stderr } = await attempt(write("prints", 'console.log("hello");'));
  assert.match(stderr, /hello/);
  const { job, records } = endOf(stdout);
  assert.equal(records[0]?.job, job);
  await using storage = await openStorage(data);
  assert.equal((await storage.ledger.readJob(job))?.spec.client, "try");
});

test("no secret is shown or stored with a failure", async () => {
  const file = write(
    "leaks",
    'throw new Error("401 at https://a.example/?sid=5E55AB: Bearer abc123def456, password=hunter2");',
  );
  const { stdout, stderr } = await sluice(["try", file, "--data", data, "--input", "id=1"]);
  const { job } = endOf((await attempt(file)).stdout);
  const items = await sluice(["items", "ls", job, "--data", data, "--json"]);
  assert.match(items.stdout, /401 at/);
  for (const text of [stdout, stderr, items.stdout]) assert.doesNotMatch(text, /5E55AB|abc123|hunter2/);
});
