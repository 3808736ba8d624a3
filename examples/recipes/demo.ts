/** `npm run demo:recipes`: four recipes in different markup, read by one scraper. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { childEnvironment } from "../../bin/end-with-parent.js";
import { type Recipe, RECIPES } from "./kitchen.ts";
import { servePages } from "./serve-pages.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const folder = join(ROOT, "data/recipes");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const [input, output] = [join(folder, "urls.txt"), join(folder, "recipes.jsonl")];

await using site = await servePages(new Map(RECIPES.map(({ path, html }) => [path, html])));
writeFileSync(input, RECIPES.map(({ path }) => `${site.url}${path}\n`).join(""));
const scraper = join(import.meta.dirname, "recipes.scraper.ts");
const args = ["run", scraper, "--input", input, "--output", output, "--data", folder];
const run = spawn(process.execPath, [join(ROOT, "bin/sluice.js"), ...args], {
  stdio: "inherit",
  env: { ...childEnvironment(), SLUICE_COMMAND: "npx sluice" },
});
const [code] = (await once(run, "exit")) as [number | null];
process.exitCode = code === 0 ? compare() : (code ?? 1);

function compare(): number {
  const rows = readFileSync(output, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const wrong = RECIPES.flatMap(({ path, expected }) =>
    oddFields(expected, rows.find(({ url }) => url === site.url + path) ?? {}).map(
      (name) => `${path}: ${name}`,
    ),
  );
  for (const line of wrong) console.error(`wrong: ${line}`);
  console.log(
    `\n${RECIPES.length} recipes, ${wrong.length} wrong fields: ${relative(process.cwd(), output)}`,
  );
  return wrong.length === 0 ? 0 : 1;
}

function oddFields(expected: Recipe["expected"], row: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(expected).flatMap(([name, value]) =>
    isDeepStrictEqual(row[name], value) ? [] : [name],
  );
}
