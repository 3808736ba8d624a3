import assert from "node:assert/strict";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { answer, openTestSite } from "../../src/collectors/http/testing/test-site.ts";
import type { ManifestEntry } from "../../src/archive/manifest.ts";
import { readLines } from "./county-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-await-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Each kind of item forgets to await something different. */
const SCRAPER = `
import { defineScraper, absent } from "sluice";
import { z } from "zod";
const sleepless = (): Promise<void> => new Promise(() => {});
export default defineScraper({
  name: "forgetful", site: process.env["SITE"]!, input: z.object({ n: z.string() }), key: ({ n }) => n,
  pace: { perSecond: 1000, concurrency: 8 },
  failures: { navigation: { maxAttempts: 1 } },
  async collect({ input, http, keep }) {
    const page = await http.get("/page/" + input.n);
    keep.page("page", page);
    switch (input.n.replace(/\\d/g, "")) {
      case "file":
        keep.file("bill", "/bill.pdf?" + input.n);
        break;
      case "chain":
        http.get("/slow").then((list) => { keep.page("list", list); keep.file("bill", "/bill.pdf"); });
        break;
      case "lost":
        http.get("/missing");
        break;
      case "absent":
        http.get("/missing");
        throw absent();
      case "code":
        void (async () => { await http.get("/slow"); throw new RangeError("out of the loop"); })();
        break;
      case "timer":
        setTimeout(() => { throw new RangeError("in a timer"); }, 1);
        await sleepless();
        break;
      case "caught": {
        const first = http.get("/missing");
        await http.get("/slow");
        await first.catch(() => undefined);
        break;
      }
      case "late": {
        // Continues until it is refused.
        const tick = () => { const next = setTimeout(tick, 5); try { keep.page("again", page); } catch (error) { clearTimeout(next); throw error; } };
        tick();
        break;
      }
      case "later": {
        const tick = () => setTimeout(async () => { await keep.file("bill", "/bill.pdf"); tick(); }, 5);
        tick();
        break;
      }
    }
  },
});
`;

const KINDS = ["chain", "lost", "absent", "code", "timer", "caught", "late", "later", "last"];
const FILES = Array.from({ length: 20 }, (_, n) => `file${n}`);

test("work that a scraper does not await is waited for, and its errors fail the item", async () => {
  const warned = Promise.withResolvers<void>();
  await using site = await openTestSite(({ url }, response) => {
    if (url.startsWith("/bill.pdf")) answer(response, "%PDF-1.7", { "content-type": "application/pdf" });
    else if (url === "/missing" || url === "/robots.txt") answer(response, "no", {}, 404);
    // Keeps the worker running until late work was refused.
    else if (url === "/page/last") warned.promise.then(() => answer(response, "<p>last"), assert.fail);
    else answer(response, `<p>${url}`);
  });
  const scraper = join(folder, "forgetful.scraper.ts");
  writeFileSync(scraper, SCRAPER);
  const input = join(folder, "items.csv");
  writeFileSync(input, ["n", ...FILES, ...KINDS].join("\n"));
  const data = join(folder, "data");
  const run = new SluiceProcess(
    ["run", scraper, "--input", input, "--data", data, "--processes", "1", "--log-level", "debug"],
    { SITE: site.url },
  );
  await run.says(/warning: item late/);
  const log = () => readLines<{ event: string; item?: string }>(globSync(join(data, "logs/*.jsonl"))[0]!);
  const refused = () =>
    log()
      .filter(({ event }) => event === "late work refused")
      .map(({ item }) => item);
  while (refused().length < 2) await delay(10);
  warned.resolve();
  const { code, stderr } = await run.ended;
  assert.equal(code, 3, stderr);

  const [manifest] = globSync(join(data, "blobs/jobs/*/manifest.jsonl"));
  const items = new Map(readLines<ManifestEntry>(manifest!).map((item) => [item.key, item]));
  const endOf = (key: string) => {
    const { state, failure, attempts, captures } = items.get(key)!;
    const files = captures.filter(({ name }) => name === "bill").length;
    return [failure?.kind ?? state, attempts, files];
  };
  for (const key of FILES) assert.deepEqual(endOf(key), ["done", 1, 1], key);
  assert.deepEqual(endOf("chain"), ["done", 1, 1]);
  assert.deepEqual(endOf("lost"), ["navigation", 1, 0]);
  assert.deepEqual(endOf("absent"), ["navigation", 1, 0]);
  assert.deepEqual(endOf("code"), ["scraper-error", 1, 0]);
  assert.match(items.get("code")!.failure!.detail, /out of the loop/);
  assert.deepEqual(endOf("timer"), ["scraper-error", 1, 0]);
  assert.deepEqual(endOf("caught"), ["done", 1, 0]);
  assert.deepEqual(endOf("late"), ["done", 1, 0]);
  assert.deepEqual(endOf("last"), ["done", 1, 0]);
  assert.deepEqual(new Set(refused()), new Set(["late", "later"]));
  assert.equal(log().filter(({ event }) => event === "worker started").length, 1, "no worker has died");
});
