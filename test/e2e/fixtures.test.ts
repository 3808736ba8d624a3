import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { LoopbackSite } from "./loopback-site.ts";
import { type Ended, sluice } from "./sluice-process.ts";

/** What must never be in a fixture, and what must never count as a passed test. */
const root = mkdtempSync(join(tmpdir(), "sluice-cases-"));
let site: LoopbackSite;

before(async () => void (site = await LoopbackSite.open()));
after(async () => {
  await site[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

interface Folder {
  readonly path: string;
  readonly file: string;
  write(more: string, name?: string): void;
  run(command: string, ...args: string[]): Promise<Ended>;
  expected(name: string): Record<string, unknown>;
}

/** A folder with one scraper, whose page is `<b>/ID</b>`. */
const open = (called: string): Folder => {
  const path = join(root, called);
  mkdirSync(path);
  const file = join(path, `${called}.scraper.ts`);
  return {
    path,
    file,
    write(more, name = called) {
      const head = `import { absent, defineScraper, emitTo, field } from "sluice";\nimport { z } from "zod";\n`;
      const input = `input: z.object({ id: z.string() }), key: ({ id }) => id, pace: { perSecond: Infinity }`;
      const collect = `async collect({ input, http, keep }) { keep.page("page", await http.get("/" + input.id)); }`;
      writeFileSync(
        file,
        `${head}export default defineScraper({ name: "${name}", site: "${site.url}", ${input}, ${collect},\n${more} });\n`,
      );
    },
    run: (command, ...args) =>
      sluice([command, file, ...args, ...(command === "test" ? [] : ["--data", join(path, "data")])]),
    expected: (name) =>
      JSON.parse(readFileSync(join(path, "fixtures", name, "expected.json"), "utf8")) as Record<
        string,
        unknown
      >,
  };
};
const RIGHT = 'extract: { fields: { text: field.text("b") } }';
const THROWING = 'extract: () => { throw new TypeError("no owner"); }';

test("--update does not accept a scraper error as expected, and test stays red", async () => {
  const one = open("failing");
  one.write(RIGHT);
  assert.equal((await one.run("capture", "--input", "id=1", "--case", "a")).code, 0);
  const good = one.expected("a");
  for (const broken of [THROWING, 'extract: { from: "detail", fields: { text: field.text("b") } }']) {
    one.write(broken);
    const { code, stdout } = await one.run("test", "--update");
    assert.equal(code, 3);
    assert.match(stdout, /code failed on these pages/);
    assert.deepEqual(one.expected("a"), good);
  }
  const file = join(one.path, "fixtures/a/expected.json");
  writeFileSync(file, '{"failure":"scraper-error","records":[]}');
  assert.equal((await one.run("test")).code, 3);
  one.write(RIGHT);
  assert.equal((await one.run("test", "--update")).code, 0);
  assert.deepEqual(one.expected("a"), good);
});

test("the complete error of the scraper's code is shown", async () => {
  const one = open("wordy");
  one.write(RIGHT);
  await one.run("capture", "--input", "id=1", "--case", "a");
  one.write(`extract: () => { throw new Error("${"word ".repeat(40)}end of it"); }`);
  const { stdout } = await one.run("test");
  assert.match(stdout.replace(/\s+/g, " "), /word end of it \(wordy\.scraper\.ts:4:\d+\)/);
});

test("an unreadable expected.json is reported, and --update writes a new one", async () => {
  const one = open("unreadable");
  one.write(RIGHT);
  await one.run("capture", "--input", "id=1", "--case", "a");
  const good = one.expected("a");
  for (const text of ["{", '{"records":"x"}']) {
    writeFileSync(join(one.path, "fixtures/a/expected.json"), text);
    const { code, stdout } = await one.run("test");
    assert.equal(code, 3);
    assert.match(stdout, /fixtures\/a\/expected\.json/);
    assert.equal((await one.run("test", "--update")).code, 0);
    assert.deepEqual(one.expected("a"), good);
  }
  writeFileSync(join(one.path, "fixtures/a/fixture.json"), "{");
  const { code, stdout } = await one.run("test", "--update");
  assert.equal(code, 3);
  assert.match(stdout.replace(/\s+/g, " "), /fixture\.json: .* capture SCRAPER --case a --force/);
  assert.doesNotMatch(stdout, /If the new values are right/);
});

test("secrets in a key are neither in the fixture's name or files nor in the output", async () => {
  const one = open("secretive");
  one.write(RIGHT);
  const { code, stdout } = await one.run("capture", "--input", "id=p?sid=5E55AB&token=T0K3N123&n=1");
  assert.equal(code, 0);
  const [name] = readdirSync(join(one.path, "fixtures"));
  assert.equal(name, "p-sid-stripped-token-stripped-n-1");
  const folder = join(one.path, "fixtures", name);
  const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  for (const text of files) assert.doesNotMatch(text, /5E55AB|T0K3N123/);
  assert.match(stdout, /changed by the removal/);
  assert.doesNotMatch(stdout.slice(stdout.indexOf("fixture ")), /5E55AB|T0K3N123/);
});

test("fixture names that differ only in case are the same fixture", async () => {
  const one = open("cases");
  one.write(RIGHT);
  assert.equal((await one.run("capture", "--input", "id=1", "--case", "Plain")).code, 0);
  assert.equal((await one.run("capture", "--input", "id=1", "--case", "plain")).code, 2);
});

test("no fixture is made of an item on which the scraper's code fails", async () => {
  const one = open("refused");
  one.write(THROWING);
  const fetched = await one.run("capture", "--input", "id=1", "--case", "a");
  assert.equal(fetched.code, 3);
  assert.match(fetched.stderr, /no owner/);
  writeFileSync(join(one.path, "ids.csv"), "id\n1\n");
  await one.run("run", "--input", join(one.path, "ids.csv"));
  const stored = await one.run("capture", "--from-job", "last", "--case", "a");
  assert.equal(stored.code, 3);
  assert.match(stored.stderr, /no owner/);
  assert.ok(!existsSync(join(one.path, "fixtures/a")));
  // Its pages are stored: once the code is fixed, a fixture can be made of them.
  one.write(RIGHT);
  assert.equal((await one.run("capture", "--from-job", "last", "--case", "a")).code, 0);
});

const TOWN = (name: string) => `import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({ name: "${name}", site: "${site.url}", input: z.object({ id: z.string() }), key: ({ id }) => id,
  async collect({ input, http, keep }) { keep.page("page", await http.get("/town/" + input.id)); }, ${RIGHT} });`;

test("a scraper that only emits is tested by what it emits, and a job's items are captured for their scraper", async () => {
  const list = open("list");
  const town = join(list.path, "town.scraper.ts");
  writeFileSync(town, TOWN("town"));
  list.write(
    `emit: [emitTo(town, { inputs: (pages) => pages.map(({ text }) => ({ id: text.slice(4, 5) })) })] });\nimport town from "./town.scraper.ts";\nvoid ({`,
  );
  const data = ["--data", join(list.path, "data")];
  assert.equal((await sluice(["test", list.file, "--require-fixtures"])).code, 3);
  const captured = await list.run("capture", "--input", "id=7", "--case", "list");
  assert.equal(captured.code, 0, captured.stderr);
  assert.deepEqual(list.expected("list")["emitted"], { inputs: { town: [{ id: "7" }] } });
  assert.equal((await sluice(["test", list.file, "--require-fixtures"])).code, 0);
  writeFileSync(join(list.path, "ids.csv"), "id\n7\n");
  await list.run("run", "--input", join(list.path, "ids.csv"));
  const fromJob = ["--from-job", "last", "--key", "7"];
  assert.equal((await sluice(["capture", town, ...data, ...fromJob, "--case", "town"])).code, 0);
  const page = readFileSync(join(list.path, "fixtures/town/page.html"), "utf8");
  assert.equal(page, "<b>/town/7</b>");

  writeFileSync(list.file, readFileSync(list.file, "utf8").replace("slice(4, 5)", "slice(3, 5)"));
  const differing = await list.run("test");
  assert.equal(differing.code, 3);
  assert.match(
    differing.stdout,
    /inputs for town\n\s+expected\s+1\n\s+got\s+1\n\s+missing .*"7".*\n\s+new .*"\/7"/,
  );
  assert.equal((await list.run("test", "--update")).code, 0);
  assert.equal((await list.run("test")).code, 0);

  // A renamed scraper does not lose its tests silently.
  writeFileSync(town, TOWN("village"));
  const lost = await sluice(["test", list.file, town]);
  assert.equal(lost.code, 3);
  assert.match(lost.stdout, /fixtures\/town\n\s+a fixture of scraper town/);
  assert.match(lost.stdout, /1 fixture without a scraper/);
});

test("options that cannot go together are refused", async () => {
  const one = open("options");
  one.write(RIGHT);
  assert.equal((await one.run("capture", "--input", "id=1", "--from-job", "last")).code, 2);
  assert.equal((await one.run("capture", "--input", "id=1", "--key", "1")).code, 2);
  assert.equal((await one.run("try", "--input", "id=1", "--input", "id=2")).code, 2);
});
