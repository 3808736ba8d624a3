/** Code that travels: scrapers run on machines that never had their files. */
import assert from "node:assert/strict";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { ProblemError, SluiceClient } from "../../src/client.ts";
import { PROTOCOL, PROTOCOL_HEADER } from "../../src/ports/ledger-wire.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { Service } from "./service-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-deploy-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const scraperText = (site: string, path: string, head = "") => `
import { defineScraper, field } from "sluice-jobs";
import { z } from "zod";
${head}
export default defineScraper({
  name: "pages",
  site: ${JSON.stringify(site)},
  input: z.object({ n: z.string() }),
  key: ({ n }) => n,
  pace: { perSecond: 500 },
  async collect({ input, http, keep }) {
    keep.page("page", await http.get(${path}));
  },
  extract: { fields: { text: field.text("b") } },
});
`;

/** A machine with nothing but Sluice and a worker key. */
const emptyMachine = (name: string, service: Service, key: string): SluiceProcess => {
  const machine = join(folder, name);
  mkdirSync(machine);
  writeFileSync(join(machine, "worker.key"), `${key}\n`, { mode: 0o600 });
  const args = ["worker", "--ledger", service.url, "--key-file", "worker.key", "--processes", "1"];
  return new SluiceProcess(args, {}, machine);
};

const stop = async (worker: SluiceProcess): Promise<void> => {
  worker.child.kill("SIGTERM");
  await worker.ended;
};

const textsOf = async (client: SluiceClient, job: string): Promise<Record<string, string>> => {
  const text = await new Response(await client.results(job)).text();
  const rows = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { key: string; text: string });
  return Object.fromEntries(rows.map((row) => [row.key, row.text]));
};

test("a scraper that was deployed runs on a machine with an empty disk; only operators deploy", async (t) => {
  await using site = await LoopbackSite.open();
  await using service = new Service(join(folder, "controller"));
  service.configure({ allowTargets: ["127.0.0.1"] });
  const client = await service.serve();
  const keyOf = async (role: "client" | "operator" | "worker"): Promise<string> =>
    (await client.createKey("default", role)).key!;

  const checkout = join(folder, "checkout");
  const write = (name: string, text: string): void => {
    mkdirSync(join(checkout, name, ".."), { recursive: true });
    writeFileSync(join(checkout, name), text);
  };
  write("sluice.config.ts", "export default {};\n");
  write(
    "lib/paths.ts",
    'import { shout } from "shout"; export const pathOf = (n: string): string => `/${shout(n)}`;',
  );
  write("node_modules/shout/package.json", '{ "name": "shout", "main": "index.js" }');
  write("node_modules/shout/index.js", "exports.shout = (text) => require('./loud').loud(text);");
  write("node_modules/shout/loud.js", "exports.loud = (text) => text.toUpperCase();");
  write(
    "scrapers/pages.scraper.ts",
    scraperText(site.url, "pathOf(input.n)", 'import { pathOf } from "../lib/paths.ts";'),
  );
  const deploy = async (key: string) => {
    const args = ["deploy", "--json", "--server", service.url];
    const { code, stdout, stderr } = await new SluiceProcess(args, { SLUICE_KEY: key }, checkout).ended;
    return { code, stderr, ...(JSON.parse(stdout || "{}") as Record<string, unknown>) };
  };
  const refused = await deploy(await keyOf("client"));
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /role/);
  assert.deepEqual(globSync("blobs/service/{bundles,deployed}/**", { cwd: service.data }), []);
  const operator = await keyOf("operator");
  const first = await deploy(operator);
  assert.equal(first.code, 0, first.stderr);
  const again = await deploy(operator);
  assert.deepEqual(again, { ...first, isNew: false });
  assert.equal(globSync("blobs/service/bundles/pages/*/*", { cwd: service.data }).length, 1);
  const { data: audit } = await client.listAudit({ action: "deployScraper" });
  assert.deepEqual(
    audit.map(({ target, outcome }) => [target, outcome]),
    [
      ["pages", "ok"],
      ["pages", "ok"],
    ],
  );
  rmSync(checkout, { recursive: true });

  const key = await keyOf("worker");
  const worker = emptyMachine("machine", service, key);
  t.after(() => stop(worker));
  const { job } = await client.createJob({
    scraper: "pages",
    inputs: [{ n: "a" }, { n: "b" }],
    seal: true,
  });
  assert.equal(job.version, (await client.getScraper("pages")).version);
  await service.until(job.id, ({ state }) => state === "done");
  assert.deepEqual(await textsOf(client, job.id), { a: "/A", b: "/B" });
  await stop(worker);

  // A worker key reads bundles and writes none.
  const [object = ""] = globSync("service/bundles/pages/*/*", { cwd: join(service.data, "blobs") });
  const ask = (method: string, body?: string) =>
    fetch(`${service.url}/v1/blobs/${object}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        [PROTOCOL_HEADER]: `${PROTOCOL}`,
        ...(body !== undefined && { "content-type": "application/octet-stream" }),
      },
      ...(body !== undefined && { body }),
    });
  assert.equal((await ask("GET")).status, 200);
  assert.equal((await ask("PUT", "{}")).status, 403);
  assert.equal((await ask("DELETE")).status, 403);
  await assert.rejects(
    () => new SluiceClient({ server: service.url, key }).deployScraper("pages", Buffer.from("{}")),
    (error) => error instanceof ProblemError && error.code === "forbidden",
  );

  // What somebody has changed in the store is not run.
  const stored = join(service.data, "blobs", object);
  writeFileSync(stored, readFileSync(stored, "utf8").replace("toUpperCase", "toLowerCase"));
  const other = emptyMachine("other machine", service, key);
  t.after(() => stop(other));
  const next = await client.createJob({ scraper: "pages", inputs: [{ n: "c" }], seal: true });
  const log = join(folder, "other machine/data/logs/worker.jsonl");
  while (!globSync(log).some((file) => /is damaged: its hash is not/.test(readFileSync(file, "utf8")))) {
    assert.equal(other.child.exitCode, null, other.stderr);
    await delay(50);
  }
  assert.equal((await client.getJob(next.job.id)).counts.states.done, 0);
  assert.ok(!site.arrived.includes("/c"));
});

test("a pinned job ends right after its file was changed and deleted, on workers that never had it", async (t) => {
  await using site = await LoopbackSite.open();
  await using service = new Service(join(folder, "pinned"));
  service.configure({ allowTargets: ["127.0.0.1"] });
  service.writeScraper("pages", scraperText(site.url, '"/first/" + input.n'));
  const client = await service.serve();
  const { key } = await client.createKey("default", "worker");
  const rows = async function* (...numbers: readonly string[]): AsyncGenerator<Uint8Array> {
    yield Buffer.from(numbers.map((n) => `{"n":"${n}"}\n`).join(""));
  };
  const { job } = await client.createJob({ scraper: "pages" });
  site.isAnswering = false;
  const one = emptyMachine("one", service, key!);
  t.after(() => stop(one));
  await client.addInputs(job.id, rows("1", "2"));
  await site.arrivals(1);
  one.child.kill("SIGKILL");
  service.writeScraper("pages", scraperText(site.url, '"/second/" + input.n'));
  await client.addInputs(job.id, rows("3", "4"));
  rmSync(join(service.folder, "scrapers/pages.scraper.ts"));
  await client.addInputs(job.id, rows("5"), { seal: true });
  site.isAnswering = true;
  // The controller too has forgotten what it had loaded.
  service.controller.child.kill("SIGTERM");
  await service.controller.ended;
  await service.serve();
  const two = emptyMachine("two", service, key!);
  t.after(() => stop(two));
  const { counts, version } = await service.until(job.id, ({ state }) => state === "done");
  assert.equal(counts.states.done, 5);
  assert.equal(version, job.version);
  const expected = ["1", "2", "3", "4", "5"].map((n) => [n, `/first/${n}`]);
  assert.deepEqual(await textsOf(client, job.id), Object.fromEntries(expected));
  await assert.rejects(
    () => client.createJob({ scraper: "pages" }),
    (error) => error instanceof ProblemError && error.code === "unknown-scraper",
  );
});
