// own process: a process unpacks bundles in one folder, and other tests open storage elsewhere
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { openBlobFolder } from "../compose.ts";
import { bundleHash, deployedSource, packBundle, putBundle } from "./bundle.ts";
import { ScraperLoadError } from "./check-scraper.ts";
import { loadBundle, loadScraper } from "./load-scraper.ts";
import { makeBundle } from "./make-bundle.ts";
import { openBundle, unpackBundlesIn } from "./open-bundle.ts";
import { parseBundle } from "./parse-bundle.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice bundles #1 "));
after(() => rmSync(folder, { recursive: true, force: true }));
const data = join(folder, "data");
unpackBundlesIn(data);

/** The module as another process has it. */
const MODULE: string = "./open-bundle.ts";

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
};

const scraperText = (name: string, head = "", key = "url") => `
  import { defineScraper, field } from "sluice-jobs";
  import { z } from "zod";
  ${head}
  export default defineScraper({
    name: "${name}",
    input: z.object({ url: z.string() }),
    key: ({ url }) => String(${key}),
    async collect() {},
    extract: { fields: { title: field.text("h1") } },
  });`;

const keyOf = async ({ scraper }: Awaited<ReturnType<typeof loadScraper>>): Promise<string> =>
  (scraper.key as (input: unknown) => string)({ url: "u" });

/** As it runs where its files never were. */
const travelled = async (file: string) => {
  const loaded = await loadScraper(file);
  const bytes = packBundle(await makeBundle(loaded));
  const open = await openBundle(bytes);
  return { loaded, bytes, open, away: await loadBundle(open) };
};

test("a bundle has the file, what it imports from beside and above it, now and later, and the files that it names", async () => {
  write("one/lib/words.json", '{ "word": "json" }');
  write("one/lib/later.ts", 'import { deep } from "./deep/deep.ts"; export const later: string = deep;');
  write("one/lib/deep/deep.ts", 'export const deep = "deep";');
  write("one/lib/table.csv", "a,b\n");
  write("one/lib/types.ts", "export interface A {}");
  const file = write(
    "one/scrapers/all.scraper.ts",
    scraperText(
      "all",
      `import type { A } from "../lib/types.ts";
       import words from "../lib/words.json" with { type: "json" };
       import { readFileSync } from "node:fs";
       const { later } = await import("../lib/later.ts");
       const more = () => import("../lib/deep/deep.ts");
       const table = readFileSync(new URL("../lib/table.csv", import.meta.url), "utf8");`,
      'words.word + later + table.trim() + (more ? "" : "")',
    ),
  );
  const { loaded, bytes, open, away } = await travelled(file);
  assert.deepEqual(Object.keys(parseBundle(bytes).files), [
    "code/lib/deep/deep.ts",
    "code/lib/later.ts",
    "code/lib/table.csv",
    "code/lib/words.json",
    "code/package.json",
    "code/scrapers/all.scraper.ts",
  ]);
  assert.equal(away.version, loaded.version);
  assert.notEqual(away.scraper, loaded.scraper);
  assert.equal(await keyOf(away), "jsondeepa,b");
  assert.equal(away.source, "deployed:all");
  assert.ok(fileURLToPath(open.entry).startsWith(data));
  assert.equal(statSync(fileURLToPath(open.entry)).mode & 0o777, 0o600);
  assert.equal(statSync(fileURLToPath(open.root)).mode & 0o777, 0o700);
});

test("packages are bundled with their dependencies, CommonJS too; the same files give the same bundle", async () => {
  const pack = (name: string, texts: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(texts)) write(`two/node_modules/${name}/${file}`, text);
  };
  pack("esm", {
    "package.json": '{ "name": "esm", "type": "module", "exports": { ".": "./i.js", "./sub": "./sub.js" } }',
    "i.js": 'import inner from "inner"; export const a = inner("a"); export default "d";',
    "sub.js": 'export { a } from "./i.js"; export const sub = "s";',
  });
  pack("inner", {
    "package.json": '{ "name": "inner", "main": "i.js" }',
    "i.js": "module.exports = (x) => x + x; module.exports.two = 2;",
  });
  pack("old", {
    "package.json": '{ "name": "old", "main": "i.js" }',
    "i.js":
      'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = 1; exports.name = __dirname.length > 0 ? "old" : "";',
  });
  pack("lazy", {
    "package.json": '{ "name": "lazy", "type": "module", "exports": "./i.js" }',
    "i.js": 'export const lazy = "lazy";',
  });
  const file = write(
    "two/scrapers/packed.scraper.ts",
    scraperText(
      "packed",
      `import d, { a } from "esm";
       import { a as same, sub } from "esm/sub";
       import inner, { two } from "inner";
       import old, { name } from "old";
       const { lazy } = await import("lazy");
       const optional = async () => import("not-installed").catch(() => undefined);`,
      '[d, a, same === a, sub, inner("i"), two, name, old.name, lazy, typeof optional].join()',
    ),
  );
  const { loaded, bytes, away } = await travelled(file);
  assert.equal(await keyOf(away), await keyOf(loaded));
  assert.equal(await keyOf(away), "d,aa,true,s,ii,2,old,old,lazy,function");
  const bundle = parseBundle(bytes);
  assert.deepEqual(Object.keys(bundle.packages), ["esm", "esm/sub", "inner", "lazy", "old"]);
  assert.ok(!Buffer.from(bytes).includes(folder), "no path of this machine");
  assert.equal(bundleHash(packBundle(await makeBundle(loaded))), bundleHash(bytes));
});

test("a scraper without code is bundled with its recording, and a scraper with those that it emits to", async () => {
  write(
    "three/steps.json",
    '{ "title": "t", "steps": [{ "type": "navigate", "url": "https://x.example/{{id}}" }] }',
  );
  const declared = write(
    "three/told.scraper.yaml",
    "kind: recording\nname: told\ninput: { id: { type: string } }\nrecording: steps.json\n",
  );
  const { loaded, away } = await travelled(declared);
  assert.deepEqual([away.version, away.scraper.site], [loaded.version, "https://x.example"]);

  write("three/town.scraper.ts", scraperText("town"));
  const list = write(
    "three/list.scraper.ts",
    `import { defineScraper, emitTo, field, scraperFile } from "sluice-jobs";
     import { z } from "zod";
     import town from "./town.scraper.ts";
     export const told = await scraperFile("./told.scraper.yaml", import.meta.url);
     export default defineScraper({ name: "list", input: z.object({ url: z.string() }), async collect() {},
       emit: [emitTo(town, { input: { url: field.url("a") } })] });`,
  );
  const both = await travelled(list);
  assert.equal(both.away.targets.get("town")?.version, both.loaded.targets.get("town")?.version);
  assert.equal(both.away.targets.get("town")?.source, "deployed:list");
});

const refuses = async (file: string, problem: RegExp) => {
  const loaded = await loadScraper(file);
  await assert.rejects(makeBundle(loaded), (error) => {
    assert.ok(error instanceof ScraperLoadError);
    assert.match(error.message, problem);
    assert.match(error.message, /keep the scraper's project/);
    return true;
  });
};

test("code that cannot be bundled is refused, with what to do", async () => {
  write("four/node_modules/native/package.json", '{ "name": "native", "main": "i.js" }');
  write(
    "four/node_modules/native/i.js",
    'exports.load = () => require("./build/addon.node"); exports.one = 1;',
  );
  write("four/node_modules/native/build/addon.node", "\u0000binary");
  await refuses(
    write("four/native.ts", scraperText("native", 'import { one } from "native"; void one;')),
    /native/,
  );
  await refuses(
    write("four/folder.ts", scraperText("folder", "const here = import.meta.dirname; void here;")),
    /import\.meta\.dirname.*new URL/,
  );
  write("four/tables/a.csv", "");
  await refuses(
    write("four/tables.ts", scraperText("tables", 'void new URL("./tables", import.meta.url);')),
    /names the folder \.\/tables/,
  );
  const { href } = pathToFileURL(write("four/x.ts", "export {};"));
  await refuses(
    write("four/absolute.ts", scraperText("absolute", `import "${href}";`)),
    /a place on this machine/,
  );
});

test("a bundle that was changed is refused, wherever it was changed", async () => {
  const { bytes, loaded, open } = await travelled(write("five/true.scraper.ts", scraperText("true")));
  const blobs = await openBlobFolder(join(folder, "blobs"));
  const bundle = parseBundle(bytes);
  assert.equal(await putBundle(blobs, bundle, bytes), true);
  assert.equal(await putBundle(blobs, bundle, bytes), false);
  const [stored] = await Array.fromAsync(blobs.list("service/bundles/"));
  const changed = Buffer.from(Buffer.from(bytes).toString().replace("collect()", "collect(x)"));
  await blobs.put(stored!.name, changed);
  // In a folder where it was not unpacked before.
  unpackBundlesIn(join(folder, "other"));
  const { openStoredBundle } = (await import(`${MODULE}?fresh`)) as typeof import("./open-bundle.ts");
  await assert.rejects(openStoredBundle(blobs, "true", loaded.version), /is damaged: its hash/);
  unpackBundlesIn(data);

  await assert.rejects(
    loadScraper(deployedSource("true"), blobs, "0".repeat(16)),
    /no such scraper is deployed in version 0000/,
  );
  // Files that somebody changed after they were unpacked are written again by the next process.
  const entry = fileURLToPath(open.entry);
  writeFileSync(entry, "throw new Error('changed');");
  const again = (await import(`${MODULE}?again`)) as typeof import("./open-bundle.ts");
  again.unpackBundlesIn(data);
  await again.openBundle(bytes);
  assert.match(readFileSync(entry, "utf8"), /defineScraper/);
  assert.deepEqual(readdirSync(fileURLToPath(open.root)).toSorted(), ["bundle.json", "code"]);

  // A version that is not that of the files.
  const other = packBundle({ ...bundle, version: "0123456789abcdef" });
  await assert.rejects(openBundle(other).then(loadBundle), /in version/);
});

test("an untrusted bundle cannot write outside the folder or exceed the size limit", () => {
  const bundle = { name: "n", version: "0".repeat(16), entry: "code/a.ts", packages: {}, binary: {} };
  const refusesBundle = (value: object, problem: RegExp) =>
    assert.throws(() => parseBundle(Buffer.from(JSON.stringify({ format: 1, ...value }))), problem);
  for (const path of [
    "../a.ts",
    "code/../../a.ts",
    "/code/a.ts",
    "code//a.ts",
    "code/./a",
    "a.ts",
    "code\\a",
    "code/a\u0000",
    "code/..",
  ])
    refusesBundle({ ...bundle, files: { "code/a.ts": "", [path]: "" } }, /not a bundle/);
  refusesBundle({ ...bundle, files: {} }, /no file code\/a\.ts/);
  refusesBundle({ ...bundle, files: { "code/a.ts": "" }, name: "../n" }, /`name`/);
  refusesBundle({ ...bundle, files: { "code/a.ts": "" }, version: "../" }, /`version`/);
  assert.throws(() => parseBundle(Buffer.from("x")), /not JSON/);
  assert.throws(() => parseBundle(Buffer.alloc(17 * 1024 * 1024)), /larger than 16 MB/);
  assert.deepEqual(
    parseBundle(
      Buffer.from(JSON.stringify({ format: 1, ...bundle, files: { "code/a..b/.c": "", "code/a.ts": "" } })),
    ).name,
    "n",
  );
});
