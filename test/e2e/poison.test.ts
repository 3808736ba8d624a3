import assert from "node:assert/strict";
import { once } from "node:events";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readLines } from "./county-process.ts";
import { sluice } from "./sluice-process.ts";

const ITEMS = 1000;
const POISON = { 111: "loop", 444: "allocate", 777: "exit" };
const folder = mkdtempSync(join(tmpdir(), "sluice-poison-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const SCRAPER = `
import { defineScraper, field } from "sluice";
import { z } from "zod";
const poison: Record<string, string> = ${JSON.stringify(POISON)};
export default defineScraper({
  name: "poison",
  site: process.env["SITE"]!,
  input: z.object({ n: z.string() }),
  key: ({ n }) => n,
  pace: { perSecond: 1000, concurrency: 16 },
  async collect({ input, http, keep }) {
    keep.page("page", await http.get("/" + input.n));
    if (poison[input.n] === "loop") for (;;);
    if (poison[input.n] === "allocate") for (const hoard: unknown[] = []; ; ) hoard.push(new Array(10_000).fill(Math.random()));
    if (poison[input.n] === "exit") process.exit(7);
  },
  extract: { fields: { n: field.number("b") } },
});
`;

test("items that loop, exhaust memory or end the process fail alone, and all others are correct", async () => {
  const server = createServer((req, res) => {
    if (req.url === "/robots.txt") res.writeHead(404).end();
    else res.setHeader("content-type", "text/html").end(`<p>number <b>${req.url!.slice(1)}</b></p>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const scraper = join(folder, "poison.scraper.ts");
  writeFileSync(scraper, SCRAPER);
  const input = join(folder, "numbers.csv");
  writeFileSync(input, ["n", ...Array.from({ length: ITEMS }, (_, n) => n)].join("\n"));
  const data = join(folder, "data");
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await sluice(["run", scraper, "--input", input, "--data", data], {
    SITE: `http://127.0.0.1:${port}`,
  });
  server.close();
  server.closeAllConnections();
  assert.equal(code, 3, stderr);

  const [manifest] = globSync(join(data, "blobs/jobs/*/manifest.jsonl"));
  const items = readLines<{ key: string; state: string; failure?: { kind: string; detail: string } }>(
    manifest!,
  );
  assert.equal(items.length, ITEMS);
  const failed = items.filter(({ state }) => state !== "done");
  assert.deepEqual(
    failed.map(({ key, state, failure }) => [key, state, failure?.kind]),
    Object.keys(POISON).map((key) => [key, "failed", "scraper-error"]),
  );
});
