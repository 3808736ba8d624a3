import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { ScraperLoadError, type ScraperLoadErrorCode } from "./check-scraper.ts";
import { loadScraper } from "./load-scraper.ts";

// Far from the storage, where nothing is installed, and with a name that must be escaped in a URL.
const folder = mkdtempSync(join(tmpdir(), "sluice scrapers #1 "));
after(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
};

const scraperText = (name: string, more = "") => `
  import { absent, defineScraper, field } from "sluice";
  import { z } from "zod";
  ${more}
  export default defineScraper({
    name: "${name}",
    input: z.object({ url: z.string() }),
    async collect({ input, http }) { if (!(await http.get(input.url)).has("p")) throw absent(); },
    extract: { fields: { title: field.text("h1") } },
  });`;

const refuses = async (named: string, code: ScraperLoadErrorCode, ...parts: RegExp[]) => {
  await assert.rejects(loadScraper(named), (error) => {
    assert.ok(error instanceof ScraperLoadError);
    assert.equal(error.code, code);
    for (const part of parts) assert.match(error.message, part);
    return true;
  });
};

test("TypeScript and JavaScript files are loaded from anywhere, and can import sluice and zod", async () => {
  for (const name of ["typed.ts", "plain.js", "plain.mjs"]) {
    const path = write(name, scraperText("here", name.endsWith(".ts") ? "const one: number = 1;" : ""));
    const { scraper, source } = await loadScraper(path);
    assert.equal(scraper.name, "here");
    assert.equal(source, pathToFileURL(path).href);
    assert.equal((await loadScraper(source)).scraper, scraper);
  }
});

test("a built-in is loaded by its name, and not by names of the object prototype", async () => {
  assert.equal((await loadScraper("page")).scraper.name, "page");
  for (const word of ["constructor", "toString", "__proto__"])
    await refuses(word, "unknown-scraper", new RegExp(word), /page/);
});

test("a missing file is an unknown scraper, and the error says what to do", async () => {
  await refuses(join(folder, "nothing.ts"), "unknown-scraper", /nothing\.ts/, /\.ts, \.js, \.json or \.yaml/);
});

test("a file that cannot run is reported with its name and the reason", async () => {
  await refuses(write("syntax.ts", "export default {"), "broken-scraper", /syntax\.ts/, /Correct the file/);
  await refuses(write("throws.ts", "throw new Error('no key')"), "broken-scraper", /throws\.ts.*no key/);
  await refuses(write("lost.ts", 'import "./gone.ts"'), "broken-scraper", /lost\.ts.*gone\.ts/);
  await refuses(write("alien.ts", 'import "no-such-package"'), "broken-scraper", /no-such-package/);
});

test("a file without a scraper in it is bad", async () => {
  await refuses(write("empty.ts", "export const scraper = 1;"), "bad-scraper", /empty\.ts/, /export default/);
});

test("the version depends on the file and its direct and indirect relative imports, and on nothing else", async () => {
  write("shared/far.ts", "export const far = 1;");
  write("near.ts", 'import { far } from "./shared/far.ts"; export const near = far;');
  write("unrelated.ts", "export const other = 1;");
  const path = write("versioned.ts", scraperText("versioned", 'import "./near.ts";'));
  const version = async () => (await loadScraper(path)).version;
  const first = await version();
  assert.equal(await version(), first);

  write("unrelated.ts", "export const other = 2;");
  assert.equal(await version(), first);
  write("shared/far.ts", "export const far = 2;");
  const second = await version();
  assert.notEqual(second, first);
  write("versioned.ts", `${scraperText("versioned", 'import "./near.ts";')}\n// better`);
  assert.notEqual(await version(), second);
});

test("a changed or corrected file runs in its current state; earlier loads keep their code", async () => {
  const path = write("changing.ts", scraperText("changing", 'import { word } from "./word.ts"; void word;'));
  await refuses(path, "broken-scraper", /word\.ts/);
  write("word.ts", "export const word = 1;");
  const before = await loadScraper(path);
  write(
    "changing.ts",
    scraperText("changed", 'import { word } from "./word.ts"; if (word !== 2) throw new Error("old");'),
  );
  await refuses(path, "broken-scraper", /old/);
  write("word.ts", "export const word = 2;");
  const now = await loadScraper(path);
  assert.deepEqual([before.scraper.name, now.scraper.name], ["changing", "changed"]);
  assert.deepEqual([now.source, now.version === before.version], [before.source, false]);
  assert.equal((await loadScraper(path)).scraper, now.scraper);
});

test("the same files in another place have the same version", async () => {
  const texts = { "one.ts": scraperText("moved", 'import "./two.ts";'), "two.ts": "export {};" };
  const versions = [];
  for (const place of ["here", "there"]) {
    for (const [name, text] of Object.entries(texts)) write(`${place}/${name}`, text);
    versions.push((await loadScraper(join(folder, place, "one.ts"))).version);
  }
  assert.equal(versions[0], versions[1]);
});

const emitting = (name: string, head: string, ...targets: string[]) => `
  import { defineScraper, emitTo, field } from "sluice";
  import { z } from "zod";
  ${head}
  export default defineScraper({
    name: "${name}",
    input: z.object({ url: z.string() }),
    async collect() {},
    emit: [${targets.map((target) => `emitTo(${target}, { input: { url: field.url("a") } })`).join(", ")}],
  });`;

test("the scrapers that it emits to are loaded too, each with its own version", async () => {
  const town = write("emit/town.ts", scraperText("town"));
  write("emit/notes.json", "{}");
  const list = write("emit/list.ts", emitting("list", 'import town from "./town.ts";', '"self"', "town"));
  const inside = `const inside = defineScraper({ name: "inside", input: z.object({ url: z.string() }), async collect() {} });`;
  const root = write(
    "emit/root.ts",
    emitting(
      "root",
      `import list from "./list.ts"; import notes from "./notes.json" with { type: "json" }; ${inside}`,
      "list",
      "inside",
    ),
  );
  const loaded = await loadScraper(root);
  assert.deepEqual(
    [...loaded.targets].map(([name, { source }]) => [name, source]),
    [
      ["list", pathToFileURL(list).href],
      ["inside", loaded.source],
      ["town", pathToFileURL(town).href],
    ],
  );
  assert.equal(loaded.targets.get("inside")?.version, loaded.version);
  assert.equal(loaded.targets.get("town")?.version, (await loadScraper(town)).version);
  assert.deepEqual([...loaded.targets.get("list")!.targets.keys()], ["town"]);
  assert.equal(new Set([loaded, ...loaded.targets.values()].map(({ version }) => version)).size, 3);
});

test("two scrapers of one name in a job are refused", async () => {
  write("twins/one.ts", scraperText("twin"));
  const root = write("twins/root.ts", emitting("twin", 'import one from "./one.ts";', "one"));
  await refuses(root, "bad-scraper", /named twin/);
});

test("the version of code includes a scraper without code that it loads", async () => {
  const recording = (title: string): string =>
    `kind: recording
name: recorded
input: { id: { type: string } }
recording: { title: "${title}", steps: [{ type: navigate, url: "https://x.example/{{id}}" }] }
`;
  write("asked/recorded.scraper.yaml", recording("one"));
  const file = write(
    "asked/written.scraper.ts",
    `import { scraperFile } from "sluice-jobs";
const source = await scraperFile("./recorded.scraper.yaml", import.meta.url);
export default { ...source, kind: "http", name: "written", collect: async () => {} };
`,
  );
  const first = await loadScraper(file);
  assert.equal(first.scraper.site, "https://x.example");
  write("asked/recorded.scraper.yaml", recording("two"));
  const second = await loadScraper(file);
  assert.notEqual(second.version, first.version);
});
