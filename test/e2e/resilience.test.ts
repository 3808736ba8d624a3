import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openStorage } from "../../src/compose.ts";
import { ROOT, sluice, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-resilience-"));
const scraper = join(folder, "small.ts");
writeFileSync(
  scraper,
  `import { defineScraper } from "sluice";
   import { z } from "zod";
   export default defineScraper({
     name: "small", site: process.env["SITE"]!, input: z.object({ n: z.string() }), key: ({ n }) => n, lane: "vendor",
     pace: { perSecond: 200, concurrency: 4 },
     async collect({ input, http, keep }) { keep.page("page", await http.get("/" + input.n)); },
   });`,
);

let isThrottling = false;
let onRequest = () => {};
const server = createServer((req, res) => {
  if (req.url === "/robots.txt") return res.writeHead(404).end();
  onRequest();
  if (isThrottling) {
    isThrottling = false;
    return res.writeHead(429, { "retry-after": "1" }).end();
  }
  return res.end("<p>ok</p>");
});
let env: Record<string, string>;
before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  env = { SITE: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const numbers = (count: number): string => ["n", ...Array.from({ length: count }, (_, n) => n)].join("\n");
const file = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const stateOf = async (data: string) => {
  await using storage = await openStorage(data);
  const [job] = await storage.ledger.listJobs();
  return { ...job!, lanes: await storage.ledger.listLanes({ job: job!.spec.id, limit: 200 }) };
};

test("inputs that were read before a read error are kept", async () => {
  const data = join(folder, "broken-inputs");
  // Wide rows: the first ones are accepted long before the bad bytes are read.
  const wide = (count: number) =>
    Buffer.from(`${numbers(count)}\n`.replaceAll("\n", `,${"x".repeat(1000)}\n`));
  const whole = file("whole.csv", wide(800));
  const broken = file("broken.csv", Buffer.concat([wide(700), Buffer.from([0xff, 0xfe, 0x0a])]));
  const run = await sluice(["run", scraper, "--input", broken, "--data", data], env);
  assert.equal(run.code, 2, run.stderr);
  assert.match(run.stderr, /broken\.csv/);
  assert.equal((await stateOf(data)).state, "paused");
  const lost = await sluice(["resume", "last", "--input", join(folder, "nowhere.csv"), "--data", data], env);
  assert.equal(lost.code, 2, lost.stderr);
  assert.equal((await stateOf(data)).state, "paused");
  const resumed = await sluice(["resume", "last", "--input", whole, "--data", data], env);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.equal((await stateOf(data)).counts.states.done, 800);
});

test("a killed worker is replaced", async () => {
  const data = join(folder, "ended");
  const run = new SluiceProcess(
    ["run", scraper, "--input", file("many.csv", numbers(1000)), "--data", data],
    env,
  );
  await new Promise<void>((seen) => (onRequest = seen));
  process.kill(run.family()[1]!, "SIGTERM");
  const { code, stderr } = await run.ended;
  assert.equal(code, 0, stderr);
});

test("an idle input pipe does not delay a stop", async () => {
  const data = join(folder, "pipe");
  const args = [
    join(ROOT, "bin/sluice.js"),
    "run",
    scraper,
    "--input",
    "-",
    "--format",
    "csv",
    "--data",
    data,
  ];
  const run = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["pipe", "ignore", "inherit"],
  });
  const arrived = new Promise<void>((seen) => (onRequest = seen));
  run.stdin.write(`${numbers(50)}\n`);
  await new Promise((resolve) => setImmediate(resolve));
  run.stdin.write("50\n");
  const trickle = setInterval(() => run.stdin.write(`${Math.random()}\n`), 200);
  await arrived;
  clearInterval(trickle);
  run.kill("SIGINT");
  const [code] = (await once(run, "exit")) as [number];
  assert.equal(code, 5);
});

test("throttling slows the lane that the scraper names", async () => {
  const data = join(folder, "throttled");
  isThrottling = true;
  const { code, stderr } = await sluice(
    ["run", scraper, "--input", file("few.csv", numbers(20)), "--data", data],
    env,
  );
  assert.equal(code, 0, stderr);
  const { lanes } = await stateOf(data);
  assert.deepEqual(
    lanes.map(({ lane, factor }) => [lane, factor < 1]),
    [["vendor", true]],
  );
});
