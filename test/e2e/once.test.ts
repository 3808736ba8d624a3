import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { sigkill } from "./chaos/killer.ts";
import { readLines } from "./county-process.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-once-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const scraper = join(folder, "once.ts");
writeFileSync(
  scraper,
  `import { defineScraper } from "sluice";
   import { z } from "zod";
   export default defineScraper({
     name: "once", site: process.env["SITE"]!, input: z.object({ n: z.string() }), key: ({ n }) => n, once: true,
     pace: { perSecond: 100, concurrency: 4 }, failures: { connection: { backoff: { firstMs: 10 } } },
     async collect({ input, http }) { await http.post("/pay/" + input.n, { form: { n: input.n } }, { acts: true }); },
   });`,
);

/** Counts requests; the handler answers them. */
const openSite = async (handler: (path: string, end: () => void, cut: () => void) => void) => {
  const arrived: string[] = [];
  const server = createServer((req, res) => {
    if (req.url === "/robots.txt") return res.writeHead(404).end();
    arrived.push(req.url!);
    return handler(
      req.url!,
      () => res.end("<p>paid</p>"),
      () => req.socket.destroy(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { arrived, env: { SITE: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, close };
};

const items = (data: string) =>
  readLines<{ key: string; state: string; failure?: { kind: string } }>(
    globSync(join(data, "blobs/jobs/*/manifest.jsonl"))[0]!,
  );

test("an item whose acting request failed is not tried again", async () => {
  const [data, input] = [join(folder, "cut"), join(folder, "cut.csv")];
  writeFileSync(input, "n\n1\n2\n");
  const site = await openSite((path, end, cut) => (path === "/pay/1" ? cut() : end()));
  const { code, stderr } = await sluice(["run", scraper, "--input", input, "--data", data], site.env);
  site.close();
  assert.equal(code, 3, stderr);
  assert.deepEqual(site.arrived.toSorted(), ["/pay/1", "/pay/2"]);
  assert.deepEqual(
    items(data).map(({ key, state, failure }) => [key, state, failure?.kind]),
    [
      ["1", "failed", "connection"],
      ["2", "done", undefined],
    ],
  );
});

test("an item whose worker is killed after the acting request left is not tried again", async () => {
  const [data, input] = [join(folder, "killed"), join(folder, "killed.csv")];
  writeFileSync(input, "n\n1\n");
  let seen = () => {};
  const arrival = new Promise<void>((resolve) => (seen = resolve));
  const site = await openSite(() => seen()); // and never answers
  const run = new SluiceProcess(["run", scraper, "--input", input, "--data", data], site.env);
  await arrival;
  for (const pid of run.family().slice(1)) sigkill(pid);
  const { code, stderr } = await run.ended;
  site.close();
  assert.equal(code, 3, stderr);
  assert.deepEqual(site.arrived, ["/pay/1"]);
  assert.deepEqual(items(data)[0]?.failure?.kind, "worker-lost");
});
