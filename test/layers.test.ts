import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

const SRC = resolve(import.meta.dirname, "../src");

/**
 * What each part of `src` may import, lowest layer first: a part imports only parts above it in this table. Tests, contract suites and `testing/`
 * folders may import more, because they open real parts.
 */
const LAYERS: Readonly<Record<string, string>> = {
  domain: "",
  extraction: "domain",
  recordings: "domain extraction",
  ports: "domain recordings",
  schemas: "domain ports",
  client: "schemas",
  "client.ts": "schemas client",
  ledger: "domain ports",
  archive: "domain ports",
  backends: "domain ports ledger",
  collectors: "domain ports extraction recordings",
  channels: "domain ports",
  scrapers: "domain recordings ports extraction",
  freshness: "domain ports scrapers",
  pipeline: "domain ports extraction archive scrapers",
  inputs: "ports pipeline scrapers",
  config: "domain ports schemas scrapers",
  "index.ts": "domain extraction scrapers config",
  export: "domain ports archive",
  retention: "domain ports archive",
  integrity: "ports archive",
  reextract: "domain ports archive scrapers pipeline",
  releases: "domain ports archive export reextract",
  worker: "domain ports archive scrapers freshness pipeline",
  services:
    "domain ports schemas archive scrapers pipeline inputs config export retention reextract releases",
  api: "domain ports schemas archive scrapers pipeline inputs export retention reextract releases services",
  devtools: "domain ports archive extraction collectors scrapers pipeline worker",
  distill: "domain ports extraction collectors scrapers pipeline devtools",
  "compose.ts": "domain ports archive backends collectors scrapers pipeline config worker",
  "compose-tables.ts": "ports backends compose.ts",
  "compose-controller.ts":
    "ports collectors channels scrapers config services api worker devtools compose.ts",
  // Threads and processes, started by the URL of their file.
  programs: "ports collectors scrapers pipeline reextract worker api devtools compose.ts",
  cli: "domain recordings ports client.ts archive scrapers pipeline inputs config export retention integrity reextract services worker devtools distill compose.ts compose-tables.ts compose-controller.ts",
};

/** Backends, collectors and channels import only their own folder, and of the same part what is named here. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  backends: ["backends/sql"],
  // What HTTP reads, guards and recognises, it does for browsers too; both leave through the egress proxy, or a provider's.
  collectors: ["collectors/http", "collectors/egress", "collectors/proxy"],
  channels: [],
};

interface Import {
  readonly from: string;
  readonly to: string;
  /** Erased when compiled: it has no effect at run time. */
  readonly isType: boolean;
  /** Loaded when the code comes to it. */
  readonly isDynamic: boolean;
}

const IMPORT =
  /(?:^|[\s;])(?:import|export)\s+(type\s)?(?:[^;"'()]*?\bfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/g;

const part = (file: string): string => file.split("/")[0]!;
const isSource = (file: string): boolean => !/\.(test|suite)\.ts$|-suite\/|\/testing\//.test(file);
const sources = globSync("**/*.ts", { cwd: SRC }).filter(isSource);

/** All imports of a file, packages included. */
const importsOf = (file: string): Import[] =>
  [...readFileSync(join(SRC, file), "utf8").matchAll(IMPORT)].map(([, type, named, dynamic]) => {
    const specifier = (named ?? dynamic)!;
    const isOwn = specifier.startsWith(".");
    const to = isOwn ? relative(SRC, resolve(SRC, dirname(file), specifier)) : specifier;
    return { from: file, to, isType: type !== undefined, isDynamic: named === undefined };
  });

const ownImports = sources.flatMap(importsOf).filter(({ to }) => to.endsWith(".ts"));
const shown = ({ from, to }: Import): string => `${from} → ${to}`;

test("each part of src imports only what the table allows", () => {
  const parts = [...new Set(sources.map(part))];
  assert.deepEqual(parts.toSorted(), Object.keys(LAYERS).toSorted(), "the table has a row for each part");
  const breaches = ownImports.filter(
    ({ from, to }) => part(from) !== part(to) && !LAYERS[part(from)]!.split(" ").includes(part(to)),
  );
  assert.deepEqual(breaches.map(shown), []);
});

test("the table has no cycle: each row names only rows above it, and nothing that is not used", () => {
  const rows = Object.keys(LAYERS);
  for (const [row, allowed] of Object.entries(LAYERS))
    for (const each of allowed.split(" ").filter(Boolean)) {
      assert.ok(rows.indexOf(each) >= 0 && rows.indexOf(each) < rows.indexOf(row), `${row}: ${each}`);
      const isUsed = ownImports.some(({ from, to }) => part(from) === row && part(to) === each);
      assert.ok(isUsed, `${row} does not import ${each}: remove it from the table`);
    }
});

test("no files import each other in a circle", () => {
  const graph = Map.groupBy(
    ownImports.filter(({ isType }) => !isType),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    assert.ok(at < 0, [...path.slice(at), file].join(" → "));
    if (done.has(file)) return;
    for (const { to } of graph.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
});

test("backends, collectors and channels do not import each other", () => {
  const folder = (file: string): string => file.split("/").slice(0, 2).join("/");
  const breaches = ownImports
    .filter(({ from, to }) => /^(backends|collectors|channels)\//.test(from) && part(from) === part(to))
    .filter(({ from, to }) => from.split("/").length > 2 && to.split("/").length > 2)
    .filter(({ from, to }) => folder(from) !== folder(to) && !SHARED[part(to)]!.includes(folder(to)));
  assert.deepEqual(breaches.map(shown), []);
});

/**
 * All named numbers in the ledger's backends. Rules about items, lanes, clients and workers (when to retry, whom to serve, how long to wait) are in
 * `src/ledger` and `src/domain`, the same for every backend: a number of another sort belongs there.
 */
const ENGINE_NUMBERS: Readonly<Record<string, readonly string[]>> = {
  "rows that are read, written or shown together": [
    "BATCH CHUNK KEPT_REJECTS LARGE_BATCH MOST MOST_CHARS MOST_HELD MOST_ITEMS MOST_LEARNED MOST_NAMED MOST_PARSED",
    "MOST_QUEUES MOST_ROUNDS MOST_ROWS MOST_SHARED MOST_VALUES PAGE PAGE_SIZE READ_TOGETHER SCAN SIFTED",
  ],
  "how the file and its lock are used": [
    "EVERY_MS LARGE_WAL LOCK_RETRY_MS LOOK_MS NOTE_MS SMALL_WAL TURN_MS",
  ],
  "what SQLite answers": ["BUSY CANTOPEN CORRUPT FULL IOERR LOCKED NOTADB READONLY"],
  units: ["DAY_MS"],
};

test("the ledger's backends hold no policy: no numbers except their own", () => {
  const files = globSync(["backends/sql/**/*.ts", "backends/sqlite/**/*.ts"], {
    cwd: SRC,
    exclude: ["**/*.test.ts", "**/migrations/**", "backends/sql*/registry/**"],
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
    "numbers of backends, and their sorts",
  );
  // A duration without a name is a hidden policy.
  const unnamed = texts.flatMap(
    (text) => text.match(/\w*(?:Ms|At|Until)\b[^\n]{0,9}?[-+*?<>=] ?\d[\d_]{2,}\b/g) ?? [],
  );
  assert.deepEqual(unnamed, ["lockMs ?? 30_000"]);
});

test("the domain imports no npm package and does no I/O", () => {
  const foreign = sources
    .filter((file) => part(file) === "domain")
    .flatMap(importsOf)
    .filter(({ to }) => !to.endsWith(".ts"))
    .map(shown);
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

test("the first request waits for few packages to load", () => {
  const preload = /const preload = [^}]*/.exec(readFileSync(join(SRC, "compose.ts"), "utf8"))![0];
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    if (!file.endsWith(".ts")) return;
    for (const { to, isType, isDynamic } of importsOf(file)) if (!isType && !isDynamic) visit(to);
  };
  [
    "cli/main.ts",
    "cli/program.ts",
    "cli/commands/run.ts",
    "cli/actions/run.ts",
    "cli/actions/run-job.ts",
  ].forEach(visit);
  ["programs/worker-main.ts", ...[...preload.matchAll(/"\.\/(.*)"/g)].map(([, file]) => file!)].forEach(
    visit,
  );
  const packages = [...seen].filter((name) => !/\.ts$|^node:/.test(name));
  assert.deepEqual(packages.toSorted(), ["commander", "csv-stringify/sync", "picocolors", "undici"]);
});

test("no file has more than 500 lines", () => {
  const long = globSync("{src,test,examples,bench}/**/*.{ts,js,mjs}", { cwd: resolve(SRC, "..") })
    .filter((file) => !file.includes("node_modules"))
    .filter((file) => readFileSync(resolve(SRC, "..", file), "utf8").split("\n").length > 501);
  assert.deepEqual(long, []);
});

test("the files that ARCHITECTURE.md names exist, and the reading order has at most 60", () => {
  const text = readFileSync(resolve(SRC, "../ARCHITECTURE.md"), "utf8");
  const named = (words: string): string[] =>
    [...words.matchAll(/`((?:[a-z-]+\/)*[a-z-]+(?:\.(?:suite|test))?\.ts)`/g)].map(([, file]) => file!);
  const isThere = (file: string): boolean => existsSync(join(SRC, file)) || existsSync(join(SRC, "..", file));
  assert.deepEqual(
    named(text).filter((file) => !isThere(file)),
    [],
  );
  const order = named(text.split("## Reading order")[1]!.split("\n## ")[0]!);
  assert.ok(order.length > 0 && order.length <= 60, `${order.length} files`);
});
