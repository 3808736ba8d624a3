import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { compileExtraction } from "../extraction/extract-spec.ts";
import { field } from "../extraction/field.ts";
import type { ExtractFunction } from "../extraction/extract-function.ts";
import type { KeptPage } from "../domain/capture.ts";
import { type Emit, emitTo } from "../scrapers/compile-emit.ts";
import { page } from "../scrapers/page.ts";
import { compileScraper } from "../scrapers/compiled-scraper.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import { discover, extract } from "./extract.ts";

const kept = (name: string, text = "<b>ANN</b>"): KeptPage => ({
  name,
  url: "https://a.example/1",
  status: 200,
  mediaType: "text/html",
  text,
});

const failureBy = (run: ExtractFunction) => {
  const result = extract(compileExtraction(run), [kept("page")]);
  assert.ok("failure" in result);
  return result.failure;
};

test("stored pages give the same records again", () => {
  const extraction = compileExtraction({ fields: { owner: field.text("b") } });
  const [first, second] = [extract(extraction, [kept("page")]), extract(extraction, [kept("page")])];
  assert.ok("records" in first);
  assert.equal(first.records[0]?.fields["owner"]?.value, "ANN");
  assert.deepEqual(second, first);
});

test("an extract function that throws is a scraper error, with the place in the scraper's own file", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-thrown-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "county.scraper.ts");
  writeFileSync(file, 'export default () => {\n  throw new TypeError("owner is undefined");\n};\n');
  const { default: throwing } = (await import(pathToFileURL(file).href)) as { default: ExtractFunction };
  const failure = failureBy(throwing);
  assert.equal(failure.kind, "scraper-error");
  assert.match(failure.detail, /TypeError: owner is undefined \(county\.scraper\.ts:2:\d+\)/);
});

test("the place of a scraper's error is never a file of Sluice", () => {
  const fields = { a: field.text("b") };
  const checked = compileExtraction({ fields, check: () => ({ c: "there is no c" }) });
  for (const extraction of [checked, compileExtraction({ from: "detail", fields })]) {
    const result = extract(extraction, [kept("page")]);
    assert.ok("failure" in result);
    assert.doesNotMatch(result.failure.detail, /\.ts:\d/);
  }
});

test("what a scraper throws is stored without its secrets", () => {
  const failure = failureBy(() => {
    throw new Error("401 for https://a.example/?sid=5E55AB with Bearer abc123def456, password=hunter2");
  });
  assert.doesNotMatch(failure.detail, /5E55AB|abc123|hunter2/);
});

test("an extract function without records is a scraper error", () => {
  for (const rubbish of [undefined, null, 5, "text", [["a"]], Promise.resolve({ a: 1 }), new Map()])
    assert.equal(failureBy(() => rubbish).kind, "scraper-error");
});

test("a thrown value that is not an error is reported too", () => {
  const failure = failureBy(() => {
    throw "no luck"; // oxlint-disable-line no-throw-literal, only-throw-error
  });
  assert.equal(failure.kind, "scraper-error");
  assert.match(failure.detail, /no luck/);
});

test("a page that extraction needs and collect did not keep is a scraper error", () => {
  const extraction = compileExtraction({ from: "detail", fields: { owner: field.text("b") } });
  const result = extract(extraction, [kept("search")]);
  assert.ok("failure" in result);
  assert.equal(result.failure.kind, "scraper-error");
  assert.match(result.failure.detail, /"detail".*"search"/);
});

const LIST = `<ul><li>Towns</li><li><a href="/1">One</a></li><li><a href="x:y">Two</a><i>S</i></li></ul>`;

const emitOf = async (...emit: Emit[]) => {
  const scraper: AnyScraper = { ...page, emit: emit as Emit<unknown>[] };
  const { emits } = await compileScraper({ scraper, source: "test", version: "v1", targets: new Map() });
  return emits;
};

test("each row that is not blank is an input, with values from the parent", async () => {
  const emits = await emitOf(
    emitTo(page, {
      each: "li",
      input: { url: field.url("a"), side: field.text("i") },
      with: () => ({ year: 1 }),
    }),
  );
  const result = discover(emits, [kept("list", LIST)], { region: "N" });
  assert.ok("found" in result);
  const [{ target, inputs } = { target: "", inputs: [] }] = result.found;
  assert.equal(target, "page");
  assert.deepEqual(
    inputs.map(({ value }) => value),
    [
      { year: 1, url: "https://a.example/1" },
      { year: 1, side: "S" },
    ],
  );
  assert.match(inputs[1]?.problem ?? "", /^url: /);
});

test("members are copied by name, and values from the page override them", async () => {
  const emits = await emitOf(
    emitTo("self", { input: { url: field.url("a") }, with: ["url", "region", "none"] }),
  );
  const result = discover(emits, [kept("list", LIST)], { url: "https://old.example", region: "N", other: 1 });
  assert.ok("found" in result);
  assert.deepEqual(result.found[0]?.inputs, [{ value: { region: "N", url: "https://a.example/1" } }]);
});

test("the fields of an object are one member", async () => {
  const place = field.object({ side: field.text("i"), code: field.text("u") });
  const emits = await emitOf(emitTo("self", { input: { place } }));
  const result = discover(emits, [kept("list", LIST)], {});
  assert.ok("found" in result);
  assert.deepEqual(result.found[0]?.inputs[0]?.value, { place: { side: "S" } });
});

test("fewer inputs than `min` are structure-changed; without rows, there may be none", async () => {
  const input = { url: field.url("a.none") };
  const kindOf = async (spec: { readonly each?: string; readonly min?: number }) => {
    const result = discover(await emitOf(emitTo("self", { ...spec, input })), [kept("list", LIST)], {});
    return "failure" in result ? result.failure.kind : result.found[0]?.inputs.length;
  };
  assert.equal(await kindOf({ each: "li" }), "structure-changed");
  assert.equal(await kindOf({ each: "li", min: 0 }), 0);
  assert.equal(await kindOf({}), 0);
  assert.equal(await kindOf({ min: 1 }), "structure-changed");
});

test("an emit function gets the pages that it names, and its errors are scraper errors", async () => {
  const pages = [kept("list", LIST), kept("map")];
  const named = await emitOf(
    emitTo(page, {
      from: "map",
      inputs: (given) => given.map(({ name }) => ({ url: `https://a.example/${name}` })),
    }),
    emitTo(page, { inputs: (given) => given.map(({ name }) => ({ url: name })) }),
  );
  const result = discover(named, pages, {});
  assert.ok("found" in result);
  assert.deepEqual(
    result.found.map(({ inputs }) => inputs.map(({ value }) => value["url"])),
    [["https://a.example/map"], ["list", "map"]],
  );
  const rubbish = await emitOf(emitTo(page, { inputs: () => [5] }));
  const refused = discover(rubbish, pages, {});
  assert.ok("failure" in refused);
  assert.equal(refused.failure.kind, "scraper-error");
});
