/** Back to the version before while a job runs: what is claimed from then on uses it, and what was claimed before ends as it began. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Item, type Moved, pages } from "../../src/client.ts";
import { Service } from "./service-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-rollback-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const ITEMS = 150;
const ANSWERED = 40;

/** A site that answers some requests, and the others when it is told to. */
const openSite = async () => {
  const waiting: ServerResponse[] = [];
  let answers = ANSWERED;
  const answer = (response: ServerResponse): void =>
    void response.setHeader("content-type", "text/html").end("<b class=old>old</b><b class=new>new</b>");
  const server = createServer((request, response) => {
    if (request.url === "/robots.txt") return void response.writeHead(404).end();
    if (answers-- > 0) answer(response);
    else waiting.push(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  after(() => server.close());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isWaiting: () => waiting.length > 0,
    answerAll: () => {
      answers = Infinity;
      for (const response of waiting) answer(response);
    },
  };
};

const scraper = (site: string, by: string): string => `
import { defineScraper, field } from "sluice";
import { z } from "zod";
export default defineScraper({
  name: "things",
  site: ${JSON.stringify(site)},
  input: z.object({ n: z.string() }),
  key: ({ n }) => n,
  pace: { perSecond: 500, concurrency: 4 },
  async collect({ input, http, keep }) { keep.page("thing", await http.get("/thing/" + input.n)); },
  extract: { fields: { by: field.text(".${by}") } },
});
`;

test("a running job that is moved back uses the version before from its next claim on", async () => {
  const site = await openSite();
  await using service = new Service(join(folder, "project"));
  service.configure({ allowTargets: ["127.0.0.1"] });
  service.writeScraper("things", scraper(site.url, "old"));
  const client = await service.serve("--workers", "1");
  const command = async <T>(...args: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await new SluiceProcess(
      [...args, "--server", service.url, "--json"],
      { SLUICE_KEY: service.key },
      service.folder,
    ).ended;
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as T;
  };
  const deploy = async (by: string): Promise<string> => {
    service.writeScraper("things", scraper(site.url, by));
    const { version } = await command<{ version: string }>("deploy", "things");
    await client.versions.activate("things", version);
    return version;
  };
  const before = await deploy("old");
  const bad = await deploy("new");
  const inputs = Array.from({ length: ITEMS }, (_, n) => ({ n: String(n) }));
  const { job } = await client.createJob({ scraper: "things", inputs, seal: true });
  assert.equal(job.version, bad);
  while (!site.isWaiting()) await delay(20);
  await service.until(job.id, ({ counts }) => counts.states.done === ANSWERED);

  const moved = await command<Moved>("versions", "rollback", "things", "--move");
  assert.deepEqual([moved.version.version, moved.moved], [before, [job.id]]);
  // Items that nobody had claimed by now are claimed later.
  const { counts } = await client.getJob(job.id);
  site.answerAll();
  const { version } = await service.until(job.id, ({ state }) => state === "done");
  assert.equal(version, before);

  const items: Item[] = await Array.fromAsync(pages((page) => client.listItems(job.id, page), 200));
  const made = Object.groupBy(items, (item) => item.version ?? "");
  assert.deepEqual(new Set(Object.keys(made)), new Set([before, bad]));
  assert.ok(made[bad]!.length >= ANSWERED, `${made[bad]!.length} with the version of their claim`);
  assert.ok(
    made[before]!.length >= counts.states.queued,
    `${made[before]!.length} of ${counts.states.queued}`,
  );
  assert.ok(counts.states.queued > ITEMS / 3);
  const rows = (await new Response(await client.results(job.id)).text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly by: string; readonly _version: string });
  // The code that ran is the one that the record names.
  assert.deepEqual(
    rows.filter((row) => row.by !== (row._version === before ? "old" : "new")),
    [],
  );
  assert.equal(rows.length, ITEMS);
});
