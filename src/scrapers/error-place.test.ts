import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { loadScraper } from "./load-scraper.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-place-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const load = async (name: string, lines: readonly string[]): Promise<string> => {
  const file = join(folder, name);
  writeFileSync(file, lines.join("\n"));
  return await loadScraper(file).then(
    () => assert.fail("it has loaded"),
    ({ message }: Error) => message,
  );
};

test("an invalid selector is reported with its field, file and line", async () => {
  const message = await load("selector.scraper.ts", [
    'import { defineScraper, field } from "sluice";',
    "export default defineScraper({ extract: { fields: {",
    '  owner: field.text(".owner"),',
    '  marketValue: field.money("#market["),',
    "} } } as never);",
  ]);
  assert.match(message, /selector\.scraper\.ts:4:\d+: `marketValue: field\.money\("#market\["\),`/);
  assert.match(message, /bad selector "#market\["/);
});

test("an error in the author's code is reported with its line", async () => {
  const message = await load("thrown.scraper.ts", ["const places: string[] = [];", "places[0]!.trim();"]);
  assert.match(message, /thrown\.scraper\.ts:2:\d+: `places\[0\]!\.trim\(\);`/);
});

test("a syntax error is reported with its line", async () => {
  assert.match(await load("syntax.scraper.ts", ["const a = 1;", "const = 2;"]), /syntax\.scraper\.ts:2/);
});
