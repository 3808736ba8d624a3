import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { propertyPage } from "../../bench/site/property-page.ts";
import { type Ended, ROOT, SluiceProcess } from "./sluice-process.ts";

/** From an empty folder to a running project, and from a page to a scraper, as a new user does it. */

const kit = mkdtempSync(join(tmpdir(), "sluice-starting-"));
const project = join(kit, "my-scrapers");
after(() => rmSync(kit, { recursive: true, force: true }));

const inFolder = (
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> => new SluiceProcess(args, env, cwd).ended;
const here = (args: readonly string[], env?: Readonly<Record<string, string>>) =>
  inFolder(project, args, env);

before(async () => {
  const { code, stdout, stderr } = await inFolder(kit, ["init", "my-scrapers"]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /cd my-scrapers/);
});

/** The project's own site, on a free port. */
const serveTools = async () => {
  const child = spawn(process.execPath, [join(project, "site.js")], {
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { url: line.toString().trim(), [Symbol.dispose]: () => void child.kill() };
};

test("a new project's fixtures pass at once, without the network", async () => {
  const { code, stdout, stderr } = await here(["test"]);
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /tools/);
});

test("a new project's scraper runs at once, by its name, into the project's data folder", async () => {
  using site = await serveTools();
  const { code, stderr } = await here(
    ["run", "tools", "--input", "scrapers/tools/inputs.csv", "--output", "tools.csv"],
    { TOOLS_URL: site.url },
  );
  assert.equal(code, 0, stderr);
  assert.match(stderr, /done\s+12/);
  assert.match(stderr, /absent\s+1/);
  assert.ok(existsSync(join(project, "data/sluice.db")));
  assert.match(readFileSync(join(project, "tools.csv"), "utf8"), /Cordless drill,T-001,40,1\.4/);
});

test("init refuses a folder with files, unless --force is given", async () => {
  const folder = join(kit, "used");
  mkdirSync(folder);
  writeFileSync(join(folder, "notes.txt"), "mine");
  writeFileSync(join(folder, "README.md"), "mine too");
  const refused = await inFolder(kit, ["init", "used"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /notes\.txt/);
  assert.match(refused.stderr, /--force/);
  assert.equal((await inFolder(kit, ["init", "used", "--force"])).code, 0);
  assert.equal(readFileSync(join(folder, "README.md"), "utf8"), "mine too");
  assert.ok(existsSync(join(folder, "sluice.config.ts")));
});

test("a flag overrides the environment, the environment the configuration, the configuration the default", async () => {
  const folder = join(project, "scrapers/tools");
  const asked = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    (await inFolder(folder, ["jobs", "show", "nothing", ...args], env)).stderr;
  assert.match(await asked([]), /nothing: no such job|there are no jobs/); // uses the data folder of the run above
  assert.match(await asked([], { SLUICE_DATA: "from-env" }), /from-env/);
  assert.match(await asked(["--data", "from-flag"], { SLUICE_DATA: "from-env" }), /from-flag/);
  const elsewhere = await inFolder(kit, ["jobs", "ls"]);
  assert.match(elsewhere.stderr, /\.\/data/);
});

test("the error for an invalid configuration names the file and the option, and says what to do", async () => {
  const folder = join(kit, "wrong");
  mkdirSync(folder);
  writeFileSync(join(folder, "sluice.config.ts"), 'export default { dat: "./d" };\n');
  const { code, stderr } = await inFolder(folder, ["jobs", "ls"]);
  assert.equal(code, 2);
  assert.match(stderr, /sluice\.config\.ts.*`dat`.*data, scrapers/);
});

/** One property page. robots.txt denies `/private`. */
const serveProperty = async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    if (request.url === "/robots.txt") return response.end("User-agent: *\nDisallow: /private\n");
    response.setHeader("content-type", "text/html; charset=utf-8").end(propertyPage(7));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, [Symbol.dispose]: () => void server.close() };
};

test("a scraper is drafted from a live page that is fetched once, and runs", async () => {
  using site = await serveProperty();
  const drafted = await here(["new", "scraper", "parcels", "--url", `${site.url}/parcel/4711`]);
  assert.equal(drafted.code, 0, drafted.stderr);
  assert.deepEqual(site.asked, ["/robots.txt", "/parcel/4711"]);
  assert.match(drafted.stdout, /scrapers\/parcels\/parcels\.scraper\.ts/);
  assert.match(drafted.stdout, /landValue\s+money\s+label\s+label "Land value"/);
  assert.match(drafted.stdout, /sluice try parcels --input parcel=4711/);
  const file = join(project, "scrapers/parcels/parcels.scraper.ts");
  const source = readFileSync(file, "utf8");
  assert.match(source, /http\.get\(`\/parcel\/\$\{encodeURIComponent\(input\.parcel\)\}`\)/);

  writeFileSync(join(project, "parcels.csv"), "parcel\n1\n2\n");
  const ran = await here(["run", "parcels", "--input", "parcels.csv", "--output", "-"]);
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /"landValue":73433/);

  const again = await here(["new", "scraper", "parcels", "--url", `${site.url}/parcel/4711`]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /this file exists/);
  assert.equal(readFileSync(file, "utf8"), source);
});

test("new scraper does not fetch a page that robots.txt denies, and writes nothing", async () => {
  using site = await serveProperty();
  const { code, stderr } = await here(["new", "scraper", "closed", "--url", `${site.url}/private/1`]);
  assert.notEqual(code, 0);
  assert.match(stderr, /robots/);
  assert.deepEqual(site.asked, ["/robots.txt"]);
  assert.ok(!existsSync(join(project, "scrapers/closed")));
});

test("a scraper is drafted from a saved page without the network", async () => {
  const saved = join(kit, "saved.html");
  writeFileSync(saved, propertyPage(9));
  const url = "https://tax.example.gov/parcel/9000001";
  const { code, stdout, stderr } = await here([
    "new",
    "scraper",
    "saved",
    "--url",
    url,
    "--html",
    saved,
    "--json",
  ]);
  assert.equal(code, 0, stderr);
  const { file, fields } = JSON.parse(stdout) as { readonly file: string; readonly fields: unknown[] };
  assert.ok(file.endsWith("saved.scraper.ts") && fields.length > 0, stdout);
  assert.match(
    readFileSync(join(project, "scrapers/saved/saved.scraper.ts"), "utf8"),
    /site: "https:\/\/tax\.example\.gov"/,
  );
});

test("the project compiles, drafted scrapers included", () => {
  const modules = join(project, "node_modules");
  const { dependencies, devDependencies } = JSON.parse(
    readFileSync(join(project, "package.json"), "utf8"),
  ) as Record<"dependencies" | "devDependencies", Record<string, string>>;
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(name === "sluice-jobs" ? ROOT : join(ROOT, "node_modules", name), join(modules, name));
  }
  execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "--noEmit"], {
    cwd: project,
  });
});
