import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { SluiceClient } from "../../src/client.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { Service } from "./service-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-fairness-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Items that may be in flight, plus the slots of one second that were booked before a new client came. */
const WINDOW = 100;
/** Concurrent requests, some on new connections, do not arrive exactly in the order of their slots. */
const MIXED = WINDOW / 5;
/**
 * Fetches `/<team>/<n>`, one request an item: the site sees the slots in their order. By the burst a slot may be used two seconds late, so that
 * hardly any is booked again, which takes its place in the order.
 */
const SCRAPER = `
  import { defineScraper } from "sluice";
  import { z } from "zod";
  export default defineScraper({
    name: "shared",
    site: process.env["SITE_URL"],
    input: z.object({ path: z.string() }),
    key: ({ path }) => path,
    robots: "ignore",
    pace: { perSecond: ${WINDOW}, burst: ${4 * WINDOW}, concurrency: ${WINDOW} },
    async collect({ input, http, keep }) {
      keep.page("page", await http.get(input.path));
    },
  });`;

const openService = (name: string, site: LoopbackSite): Service => {
  const service = new Service(join(folder, name), { SITE_URL: site.url });
  service.writeScraper("shared", SCRAPER);
  return service;
};

const addTeam = async ({ client, url }: Service, name: string, weight = 1): Promise<SluiceClient> => {
  await client.createClient({ name, weight });
  const { key } = await client.createKey(name, "client");
  return new SluiceClient({ server: url, key: key!, retries: 20 });
};

const inputs = (name: string, count: number): { readonly path: string }[] =>
  Array.from({ length: count }, (_, n) => ({ path: `/${name}/${n}` }));

/** The last piece comes after the first items were requested: they do not wait for it. */
async function* ndjson(site: LoopbackSite, name: string, count: number): AsyncGenerator<Uint8Array> {
  const chunk = 1000;
  for (let at = 0; at < count; at += chunk) {
    if (at + chunk === count) await site.arrivals(1);
    yield linesOf(inputs(`${name}/${at}`, chunk));
  }
}

const linesOf = (rows: readonly object[]): Buffer<ArrayBuffer> =>
  Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

const nameOf = (path: string): string => path.split("/")[1]!;

/** Waits for the given number of requests of one name, and returns the names that used the slots until then. */
const slotsUntil = async (site: LoopbackSite, name: string, count: number): Promise<readonly string[]> => {
  for (;;) {
    const slots = site.arrived.map(nameOf);
    const places = slots.flatMap((one, at) => (one === name ? [at] : []));
    if (places.length >= count) return slots.slice(0, places[count - 1]! + 1);
    await site.arrivals(site.arrived.length + count - places.length);
  }
};

/**
 * Adds fifty items of this name to a job of which one has run: its scraper is loaded. How many slots others have had, from when the fifty are
 * known to be there up to the last of them: also what was in hand by then, before the first of the fifty or among them.
 */
const serveFifty = async (
  client: SluiceClient,
  site: LoopbackSite,
  name: string,
  priority = 0,
): Promise<number> => {
  const first = inputs(`before-${name}`, 1);
  const { job } = await client.createJob({ scraper: "shared", inputs: first, seal: false, priority });
  await slotsUntil(site, `before-${name}`, 1);
  await client.addInputs(job.id, new Blob([linesOf(inputs(name, 50))]).stream(), { seal: true });
  const from = site.arrived.length;
  const slots = await slotsUntil(site, name, 50);
  return slots.slice(from).filter((one) => one !== name).length;
};

const countOf = (slots: readonly string[], name: string): number =>
  slots.filter((one) => one === name).length;

test("beside 40,000 items of another client on the same host, fifty items need a hundred slots", async () => {
  await using site = await LoopbackSite.open();
  await using service = openService("huge", site);
  // One process: on a busy machine, one of two may stand still while the other overtakes it.
  await service.serve("--workers", "1");
  const [huge, small] = [await addTeam(service, "huge"), await addTeam(service, "small")];
  const { job } = await huge.createJob({ scraper: "shared" });
  const upload = await huge.addInputs(job.id, ndjson(site, "huge", 40_000), { seal: true });
  assert.equal(upload.accepted, 40_000);
  await site.arrivals(2 * WINDOW);

  const beside = await serveFifty(small, site, "small");
  assert.ok(beside <= WINDOW + 50 + MIXED, `${beside} slots of the other's`);

  // The other client has all slots again, and its job of higher priority goes first.
  const before = await serveFifty(huge, site, "urgent", 1);
  assert.ok(before <= WINDOW + MIXED, `${before} slots of less urgent ones`);
});

/**
 * All have more than they can get. Counts after the workers have warmed up; from then on nobody is, at any moment, further from its share than
 * what is its due in two windows: one that was booked ahead, and one that each of the two workers uses in its own order.
 */
const assertShares = async (name: string, weights: ReadonlyMap<string, number>): Promise<void> => {
  await using site = await LoopbackSite.open();
  await using service = openService(name, site);
  await service.serve();
  for (const [team, weight] of weights) {
    const client = await addTeam(service, team, weight);
    await client.createJob({ scraper: "shared", inputs: inputs(team, 1000) });
  }
  service.worker("--processes", "2");
  await site.arrivals(8 * WINDOW);
  const slots = site.arrived.slice(2 * WINDOW, 8 * WINDOW).map(nameOf);
  const total = weights.values().reduce((sum, weight) => sum + weight);
  for (const [team, weight] of weights) {
    const due = weight / total;
    for (let upTo = 1; upTo <= slots.length; upTo++) {
      const off = countOf(slots.slice(0, upTo), team) - upTo * due;
      assert.ok(Math.abs(off) <= 2 * WINDOW * due, `${team} is ${off} from its share after ${upTo} slots`);
    }
  }
};

test("weights of three to one give shares of three to one, within one booking window", async () => {
  await assertShares(
    "weights",
    new Map([
      ["one", 1],
      ["three", 3],
    ]),
  );
});

test("thirty clients share a host by weight", async () => {
  await assertShares("thirty", new Map(Array.from({ length: 30 }, (_, i) => [`team-${i}`, 1 + (i % 3)])));
});
