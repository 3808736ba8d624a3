import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Service } from "./service-process.ts";
import { type Ended, sluice, SluiceProcess } from "./sluice-process.ts";

const ITEMS = 90;
const CHANGES_AFTER = 40;
const root = mkdtempSync(join(tmpdir(), "sluice-new-version-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** Shows one thing a page, in another layout from some request on. */
const openSite = async () => {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    const key = request.url!.slice("/thing/".length);
    asked.set(key, (asked.get(key) ?? 0) + 1);
    const total = [...asked.values()].reduce((sum, count) => sum + count, 0);
    const [name, price] = total <= CHANGES_AFTER ? ["name", "price"] : ["title", "cost"];
    response
      .setHeader("content-type", "text/html")
      .end(`<h1 class=${name}>Thing ${key}</h1><p class=${price}>$${key}.50</p>`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => server.close());
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

interface Recipe {
  readonly url: string;
  readonly name: string;
  readonly price: string;
  readonly key?: string;
  readonly input?: string;
}

const scraperText = ({
  url,
  name,
  price,
  key = "n",
  input = "z.object({ n: z.string() })",
}: Recipe): string => `
import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "things",
  site: ${JSON.stringify(url)},
  input: ${input},
  key: ({ n }) => \`\${${key}}\`,
  pace: { perSecond: 500, concurrency: 4 },
  async collect({ input, http, keep }) {
    keep.page("thing", await http.get("/thing/" + input.n));
  },
  extract: { fields: { name: field.text(${name}), price: field.money(${price}) } },
});
`;
const OLD = { name: '".name"', price: '".price"' };
const FIXED = { name: '[".title", ".name"]', price: '[".cost", ".price"]' };
/** Reads the new pages only. */
const NARROW = { name: '".title"', price: '".cost"' };

const numbers = Array.from({ length: ITEMS }, (_, n) => String(n + 1));

const openProject = async (name: string) => {
  const site = await openSite();
  const folder = join(root, name);
  mkdirSync(join(folder, "scrapers"), { recursive: true });
  const input = join(folder, "things.csv");
  writeFileSync(input, `n\n${numbers.join("\n")}\n`);
  const scraper = join(folder, "scrapers/things.scraper.ts");
  const write = (recipe: Omit<Recipe, "url">) =>
    writeFileSync(scraper, scraperText({ url: site.url, ...recipe }));
  write(OLD);
  return { site, folder, data: join(folder, "data"), input, scraper, write };
};

type Project = Awaited<ReturnType<typeof openProject>>;

/** Runs the job until the breaker holds it, and gives its id. */
const runUntilHeld = async ({ scraper, input, data }: Project): Promise<{ job: string; stderr: string }> => {
  const { code, stderr } = await sluice([
    "run",
    scraper,
    "--input",
    input,
    "--data",
    data,
    "--processes",
    "1",
  ]);
  assert.equal(code, 4, stderr);
  const job = /Job (\S+):/.exec(stderr)![1]!;
  return { job, stderr };
};

/** The command that the report prints for this, as words. */
const printedCommand = ({ stderr, stdout }: Pick<Ended, "stderr"> & Partial<Ended>, of: RegExp): string[] => {
  const line = `${stderr}\n${stdout ?? ""}`.split("\n").find((text) => of.test(text));
  assert.ok(line, stderr);
  return line.trim().split(" ").slice(1);
};

interface Row {
  readonly key: string;
  readonly name: string;
  readonly price: number;
  readonly _state: string;
  readonly _quality: string;
  readonly _version: string;
}

const rowsOf = async (args: readonly string[]): Promise<Row[]> => {
  const { code, stdout, stderr } = await sluice(args);
  assert.equal(code, 0, stderr);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row)
    .toSorted((a, b) => Number(a.key) - Number(b.key));
};

const assertComplete = (rows: readonly Row[]): void =>
  assert.deepEqual(
    rows.map(({ key, name, price, _state, _quality }) => [key, name, price, _state, _quality]),
    numbers.map((n) => [n, `Thing ${n}`, Number(n) + 0.5, "done", "complete"]),
  );

const versionsIn = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ _version }) => _version))];

test("a corrected scraper goes on with its job, and nothing is fetched twice", async () => {
  const project = await openProject("continue");
  const { site, data, write } = project;
  const { job, stderr } = await runUntilHeld(project);
  const command = printedCommand({ stderr }, /--new-version/);
  assert.deepEqual(command, ["resume", job, "--new-version", "--data", data]);

  write(FIXED);
  const refused = await sluice(["resume", job, "--data", data]);
  assert.equal(refused.code, 2);
  assert.deepEqual(printedCommand(refused, /--new-version/), command, "the refusal names the same way out");

  const resumed = await sluice(command);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(
    numbers.map((n) => site.asked.get(n)),
    numbers.map(() => 1),
    "every page was fetched once",
  );
  const rows = await rowsOf(["export", job, "--data", data]);
  assertComplete(rows);
  const shown = await sluice(["jobs", "show", job, "--json", "--data", data]);
  const view = JSON.parse(shown.stdout) as {
    readonly version: string;
    readonly state: string;
    readonly counts: { readonly states: { readonly done: number; readonly failed: number } };
    readonly partial: number;
    readonly failures: readonly unknown[];
    readonly fields: Readonly<Record<string, unknown>>;
    readonly scrapers: readonly { readonly earlier?: readonly string[] }[];
  };
  assert.deepEqual(versionsIn(rows), [view.version]);
  assert.equal(view.scrapers[0]?.earlier?.length, 1);
  assert.deepEqual(
    [view.state, view.counts.states.done, view.counts.states.failed, view.partial, view.failures],
    ["done", ITEMS, 0, 0, []],
  );
  const all = { present: ITEMS, empty: 0, missing: 0, malformed: 0 };
  assert.deepEqual(view.fields, { name: all, price: all });
  const items = await sluice(["items", "ls", job, "--json", "--limit", "1000", "--data", data]);
  for (const line of items.stdout.trim().split("\n"))
    assert.equal((JSON.parse(line) as { version: string }).version, view.version);
  const manifest = readFileSync(join(data, "blobs/jobs", job, "manifest.jsonl"), "utf8");
  for (const line of manifest.trim().split("\n"))
    assert.equal((JSON.parse(line) as { version: string }).version, view.version);
});

test("records that the new version cannot read stay as the version before made them", async () => {
  const project = await openProject("narrow");
  const { site, data, write } = project;
  const { job } = await runUntilHeld(project);
  write(NARROW);
  const resumed = await sluice(["resume", job, "--new-version", "--data", data]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stderr, new RegExp(`${CHANGES_AFTER} items stay as before`));
  const rows = await rowsOf(["export", job, "--data", data]);
  assertComplete(rows);
  assert.equal(versionsIn(rows).length, 2);
  assert.equal(
    [...site.asked.values()].reduce((sum, count) => sum + count, 0),
    ITEMS,
  );
});

test("a version that gives other keys or takes other inputs is refused, and changes nothing", async () => {
  const project = await openProject("refused");
  const { data, write } = project;
  const { job } = await runUntilHeld(project);
  const resume = () => sluice(["resume", job, "--new-version", "--data", data]);
  write({ ...FIXED, key: '"thing-" + n' });
  const otherKeys = await resume();
  assert.equal(otherKeys.code, 2);
  assert.match(otherKeys.stderr, /another key: thing-/);
  write({ ...FIXED, input: "z.object({ n: z.string().max(1) })" });
  const otherInputs = await resume();
  assert.equal(otherInputs.code, 2);
  assert.match(otherInputs.stderr, /schema does not take the stored input/);
  write(OLD);
  const shown = await sluice(["jobs", "show", job, "--json", "--data", data]);
  assert.equal((JSON.parse(shown.stdout) as { state: string }).state, "paused");
});

test("a reading that was killed half-way goes on with the next resume", async () => {
  const project = await openProject("killed");
  const { site, data, write } = project;
  const { job } = await runUntilHeld(project);
  // It never comes back from one page: the process is killed while it waits for it.
  write({
    ...FIXED,
    name: '[".title", ".name"], { check: (text) => { while (text === "Thing 20"); return true; } }',
  });
  const reading = new SluiceProcess(["resume", job, "--new-version", "--data", data]);
  await reading.says(/reading its stored pages/);
  reading.child.kill("SIGKILL");
  await reading.ended;
  const halfWay = await sluice(["jobs", "show", job, "--json", "--data", data]);
  const { paused } = JSON.parse(halfWay.stdout) as { paused: { cause: string } };
  assert.equal(paused.cause, "new-version");
  write(FIXED);
  const resumed = await sluice(["resume", job, "--new-version", "--data", data]);
  assert.equal(resumed.code, 0, resumed.stderr);
  assertComplete(await rowsOf(["export", job, "--data", data]));
  assert.equal(
    [...site.asked.values()].reduce((sum, count) => sum + count, 0),
    ITEMS,
  );
});

test("what a listing leads to is found on its stored page, and what failed in collect is fetched again", async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    asked.push(request.url!);
    const list = `<ul><li class=new><a href="/town/1">1</a></li><li class=new><a href="/town/2">2</a></li></ul>`;
    response
      .setHeader("content-type", "text/html")
      .end(request.url!.startsWith("/list") ? list : "<b>Town</b>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = join(root, "listing");
  mkdirSync(folder);
  const [file, data, input] = ["list.scraper.ts", "data", "urls.txt"].map((name) => join(folder, name));
  const write = (link: string, path: string) =>
    writeFileSync(
      file!,
      `import { defineScraper, emitTo, field } from "sluice";
import { z } from "zod";
const input = z.object({ url: z.string() });
const pace = { perSecond: 100 };
const town = defineScraper({
  name: "town", input, pace,
  async collect({ input, http, keep }) { keep.page("town", await http.get(input.url)); },
  extract: { fields: { name: field.text("b") } },
});
export default defineScraper({
  name: "list", input, pace,
  async collect({ input, http, keep }) {
    keep.page("list", await http.get(input.url));
    if (input.url.endsWith("?broken")) ${path};
  },
  emit: [emitTo(town, { from: "list", each: ${JSON.stringify(link)}, input: { url: field.url("a") }, min: 1 })],
});
`,
    );
  write("li.old", 'throw new Error("oops")');
  writeFileSync(input!, `${url}/list\n${url}/list?broken\n`);
  const run = await sluice(["run", file!, "--input", input!, "--data", data!, "--processes", "1"]);
  assert.equal(run.code, 3, run.stderr);
  const command = printedCommand(run, /--new-version/);
  write("li.new", "return");
  const resumed = await sluice(command);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.deepEqual(asked.toSorted(), ["/list", "/list?broken", "/list?broken", "/town/1", "/town/2"]);
  const rows = await rowsOf(["export", command[1]!, "--data", data!]);
  assert.deepEqual(
    rows.map(({ _state, name }) => [_state, name]),
    [
      ["done", "Town"],
      ["done", "Town"],
    ],
  );
});

test("a job of a server goes on with a corrected scraper", async () => {
  const project = await openProject("service");
  const { site, folder, input, write } = project;
  await using service = new Service(folder);
  service.configure({ allowTargets: ["127.0.0.1"] });
  await service.serve("--workers", "2");
  const env = { SLUICE_KEY: service.key };
  const at = ["--server", service.url];
  const submitted = await sluice(["submit", "things", "--input", input, ...at], env);
  assert.equal(submitted.code, 0, submitted.stderr);
  const job = submitted.stdout.trim();
  await service.until(job, ({ state }) => state === "paused");
  const shown = await sluice(["jobs", "show", job, ...at], env);
  const command = printedCommand(shown, /--new-version/);
  assert.deepEqual(command, ["jobs", "resume", job, "--new-version", ...at]);
  write(FIXED);
  const resumed = await sluice(command, env);
  assert.equal(resumed.code, 0, resumed.stderr);
  const { counts, version } = await service.until(job, ({ state }) => state === "done");
  assert.equal(counts.states.done, ITEMS);
  const results = await sluice(["jobs", "results", job, ...at], env);
  const rows = results.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row)
    .toSorted((a, b) => Number(a.key) - Number(b.key));
  assertComplete(rows);
  assert.deepEqual(versionsIn(rows), [version]);
  assert.equal(
    [...site.asked.values()].reduce((sum, count) => sum + count, 0),
    ITEMS,
  );
});
