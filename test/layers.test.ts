import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

const SRC = resolve(import.meta.dirname, "../src");

/** Who may see whom. Tests and contract suites beside a file may see more: they open the real parts. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ["domain"],
  ledger: ["domain", "ports"],
  extraction: ["domain"],
  archive: ["domain", "ports"],
  scrapers: ["domain", "ports", "extraction", "index.ts"],
  pipeline: ["domain", "ports", "extraction", "archive", "scrapers"],
  backends: ["domain", "ports", "ledger"],
  collectors: ["domain", "ports", "extraction"],
  channels: ["domain", "ports"],
  inputs: ["pipeline", "scrapers"],
  freshness: ["domain", "ports", "scrapers"],
  worker: ["domain", "ports", "archive", "scrapers", "pipeline", "freshness"],
  config: ["domain", "ports", "scrapers"],
  export: ["domain", "ports", "archive", "reextract"],
  retention: ["domain", "ports", "archive", "export"],
  integrity: ["domain", "ports", "archive", "reextract", "export"],
  api: [
    "domain",
    "ports",
    "archive",
    "scrapers",
    "pipeline",
    "reextract",
    "config",
    "inputs",
    "export",
    "retention",
  ],
  "compose.ts": [
    "domain",
    "ports",
    "archive",
    "scrapers",
    "pipeline",
    "backends",
    "collectors",
    "channels",
    "worker",
    "config",
    "api",
  ],
  "read-thread.ts": ["compose.ts", "api"],
  reextract: ["domain", "ports", "archive", "extraction", "scrapers", "pipeline", "collectors", "compose.ts"],
  devtools: [
    "domain",
    "ports",
    "archive",
    "extraction",
    "scrapers",
    "pipeline",
    "worker",
    "collectors",
    "config",
    "compose.ts",
  ],
  cli: [
    "domain",
    "ports",
    "archive",
    "extraction",
    "scrapers",
    "pipeline",
    "worker",
    "config",
    "reextract",
    "devtools",
    "inputs",
    "export",
    "retention",
    "integrity",
    "client.ts",
    "compose.ts",
  ],
  client: [],
  "client.ts": ["client"],
  "index.ts": ["domain", "ports", "extraction", "scrapers", "config"],
};

const IMPORT = /(?:from|import)\s*\(?\s*["']([^"']+)["']/g;

const part = (file: string): string => relative(SRC, file).split("/")[0]!;
const isSource = (file: string): boolean => !/\.(test|suite)\.ts$|-suite\/|\/testing\//.test(file);

const sources = globSync("**/*.ts", { cwd: SRC })
  .map((file) => join(SRC, file))
  .filter(isSource);

const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, specifier]) => specifier!);

test("the walls between the folders hold", () => {
  const breaches: string[] = [];
  for (const file of sources) {
    const allowed = MAY_IMPORT[part(file)];
    assert.ok(allowed, `${part(file)} is not in the table`);
    for (const specifier of importsOf(file).filter((name) => name.startsWith("."))) {
      const target = part(resolve(dirname(file), specifier));
      if (target !== part(file) && !allowed.includes(target))
        breaches.push(`${relative(SRC, file)} → ${specifier}`);
    }
  }
  assert.deepEqual(breaches, []);
});

/** Engines that speak SQL share what is the same for all of them. */
const SHARED = ["backends/sql"];

test("backends and collectors do not see each other, but for what engines of one family share", () => {
  const own = (file: string): string => relative(SRC, file).split("/").slice(0, 2).join("/");
  const breaches = sources
    .filter((file) => ["backends", "collectors"].includes(part(file)))
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => name.startsWith("."))
        .map((name) => resolve(dirname(file), name))
        .filter((target) => ["backends", "collectors"].includes(part(target)) && own(target) !== own(file))
        .filter((target) => !SHARED.includes(own(target)))
        .map((target) => `${relative(SRC, file)} → ${relative(SRC, target)}`),
    );
  assert.deepEqual(breaches, []);
});

/**
 * All numbers with a name in the engines of the ledger. What decides about items, lanes, clients and workers (when to try again, whom to serve, how
 * long to wait) is in `src/ledger` and `src/model`, the same for every engine: a number that is not of one of these sorts belongs there.
 */
const ENGINE_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  "rows that are read, written or shown together": [
    "BATCH CHUNK KEPT_REJECTS LARGE_BATCH MOST MOST_HELD MOST_ITEMS MOST_NAMED MOST_PARSED",
    "MOST_QUEUES MOST_ROUNDS MOST_SHARED MOST_VALUES PAGE PAGE_SIZE READ_TOGETHER SCAN SIFTED",
  ],
  "how the file and its lock are used": [
    "EVERY_MS LARGE_WAL LOCK_RETRY_MS LOOK_MS NOTE_MS SMALL_WAL TURN_MS",
  ],
  "what SQLite answers": ["BUSY CANTOPEN CORRUPT FULL IOERR LOCKED NOTADB READONLY"],
  units: ["DAY_MS"],
};

test("the engines of the ledger hold no policy: no numbers but their own", () => {
  const files = globSync(["backends/sql/**/*.ts", "backends/sqlite/**/*.ts"], {
    cwd: SRC,
    exclude: ["**/*.test.ts", "**/migrations/**", "backends/sqlite/registry/**"],
  });
  const texts = files.map((file) => readFileSync(join(SRC, file), "utf8"));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: \w+)? = [-(\d]/gm)].map(([, name]) => name!),
  );
  assert.deepEqual(
    [...new Set(named)].toSorted(),
    Object.values(ENGINE_NUMBERS)
      .flat()
      .flatMap((names) => names.split(" "))
      .toSorted(),
    "numbers of engines, and their sorts",
  );
  // A time without a name is a policy in hiding.
  const unnamed = texts.flatMap(
    (text) => text.match(/\w*(?:Ms|At|Until)\b[^\n]{0,9}?[-+*?<>=] ?\d[\d_]{2,}\b/g) ?? [],
  );
  assert.deepEqual(unnamed, ["lockMs ?? 30_000"]);
});

test("the domain knows neither npm packages nor input and output", () => {
  const foreign = sources
    .filter((file) => part(file) === "domain")
    .flatMap((file) => importsOf(file).filter((name) => !name.startsWith(".")));
  assert.deepEqual(foreign, []);
});

test("the nine steps of the architecture are the nine files of src/pipeline", () => {
  const steps = ["submit", "plan", "claim", "collect", "archive", "extract", "judge", "settle", "notify"];
  const files = globSync("pipeline/*.ts", { cwd: SRC }).filter((file) => !file.endsWith(".test.ts"));
  assert.deepEqual(files.map((file) => file.slice("pipeline/".length, -3)).sort(), [...steps].sort());
  const text = readFileSync(resolve(SRC, "../ARCHITECTURE.md"), "utf8");
  let at = -1;
  for (const step of steps) {
    const next = text.indexOf(`\`pipeline/${step}.ts\``, at + 1);
    assert.ok(next > at, `ARCHITECTURE.md names pipeline/${step}.ts, in order`);
    at = next;
  }
});

test("no file has more than 500 lines", () => {
  const long = globSync("{src,test,examples,bench}/**/*.{ts,js,mjs}", { cwd: resolve(SRC, "..") })
    .filter((file) => !file.includes("node_modules"))
    .filter((file) => readFileSync(resolve(SRC, "..", file), "utf8").split("\n").length > 501);
  assert.deepEqual(long, []);
});
