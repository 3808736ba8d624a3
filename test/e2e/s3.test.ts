import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { openS3 } from "../../src/backends/s3/open-s3.ts";
import { parseS3Url } from "../../src/config/s3-url.ts";
import { seededRandom } from "../../src/domain/testing/seeded-random.ts";
import { FaultyProxy } from "../faulty-proxy.ts";
import { noRadosgw, Radosgw } from "../radosgw.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { Service } from "./service-process.ts";
import { sluice } from "./sluice-process.ts";

const skip = noRadosgw() ?? false;
const folder = mkdtempSync(join(tmpdir(), "sluice-s3-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const store = skip === false ? await Radosgw.start() : undefined!;
if (skip === false) {
  after(() => store[Symbol.asyncDispose]());
  Object.assign(process.env, store.env);
}

const PARCELS = 300;

/** The objects themselves, without what packs hold. */
const objectsIn = async (url: string): Promise<string[]> =>
  (await Array.fromAsync((await openS3(parseS3Url(url))).list(""))).map(({ name }) => name);

const run = async (args: readonly string[], env: Readonly<Record<string, string>>, expected = 0) => {
  const { code, stdout, stderr } = await sluice(args, env);
  assert.equal(code, expected, `${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
};

test(
  "a job through a store that refuses, cuts and is slow has the correct results, before and after its segments are joined",
  { skip },
  async (t) => {
    const truth = join(folder, "truth.jsonl");
    await using site = await startSite(["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth]);
    const faults = {
      refused: 0.05,
      cutUploads: 0.05,
      lostAnswers: 0.05,
      cutAnswers: 0.03,
      slow: 0.05,
      slowMs: 500,
    };
    await using proxy = await FaultyProxy.open(store.endpoint, faults, seededRandom(3));
    const url = store.url("county", proxy.url);
    await using service = new Service(join(folder, "service"), { ...store.env, COUNTY_URL: site.url });
    service.configure({ blobs: `${url}&writePrice=0.005&readPrice=0.0004` });
    service.writeScraper("county", patientCounty());
    const { data } = service;
    const env = { ...store.env, COUNTY_URL: site.url, SLUICE_BLOBS: url, SLUICE_DATA: data };
    const client = await service.serve("--workers", "2");
    const { job } = await client.createJob({ scraper: "county" });
    const csv = [...parcelsCsv(PARCELS)].join("");
    await client.addInputs(
      job.id,
      (async function* () {
        yield Buffer.from(csv);
      })(),
      { format: "csv", seal: true },
    );
    const { costs, totalCost } = await service.until(job.id, ({ state }) => state === "done");
    for (const fault of Object.values(proxy.played)) assert.ok(fault > 0, JSON.stringify(proxy.played));
    assert.ok(costs["storage"]!.requests > 0 && totalCost > 0, JSON.stringify(costs));

    await t.test("a link to a stored file", async () => {
      const { data: items } = await client.listItems(job.id, { state: "done", limit: 20 });
      const captures = await Promise.all(items.map(({ id }) => client.listCaptures(job.id, id)));
      const file = captures.flatMap(({ data: own }) => own).find(({ link }) => link !== undefined)!;
      // The link leads through the same faulty proxy, and nobody tries it again for us.
      let bytes = -1;
      for (let tries = 0; bytes !== file.storedBytes && tries < 20; tries++)
        bytes = await fetch(file.link!)
          .then(async (answer) => (answer.ok ? (await answer.bytes()).length : answer.status))
          .catch(() => -1);
      assert.equal(bytes, file.storedBytes);
    });

    const manifest = `jobs/${job.id}/manifest-mark.json`;
    while (!(await objectsIn(store.url("county"))).includes(manifest)) await delay(100);
    await run(["backup", join(folder, "before")], env);
    assertTruth(truth, join(folder, "before"));
    const packs = (await objectsIn(store.url("county"))).filter((name) => name.includes("/packs/"));
    assert.ok(packs.length > 2, "segments of a group are one object");

    // The task joins what has ended when a controller starts.
    service.controller.child.kill("SIGTERM");
    await service.controller.ended;
    await service.serve();
    const isJoined = async (): Promise<boolean> => {
      const names = (await objectsIn(store.url("county"))).filter((name) => name.includes("/packs/"));
      return names.length > 0 && names.every((name) => name.includes("/joined-"));
    };
    while (!(await isJoined())) await delay(100);
    assert.match(await run(["fsck"], env), /no problems/);
    await run(["backup", join(folder, "after")], env);
    assertTruth(truth, join(folder, "after"));

    await service.client.removeJob(job.id);
    for (;;) {
      const left = (await objectsIn(store.url("county"))).filter((name) => name.startsWith("jobs/"));
      if (left.length === 0) break;
      await delay(100);
    }
  },
);

/** Long enough for three seals, and for the start and the end that a long job has only once. */
const SECONDS = 48;
const RATE = 10;
const MILLION = 1_000_000;
/** Inputs of a long list that are stored together, as `pipeline/submit.ts` loads them. */
const LOADED_TOGETHER = 10_000;

test("a million one-page items at 10/s cost at most 25,000 write requests", { skip }, async (t) => {
  await using site = await LoopbackSite.open();
  await using proxy = await FaultyProxy.open(store.endpoint, {});
  const scraper = join(folder, "pages.scraper.ts");
  writeFileSync(
    scraper,
    `import { defineScraper, field } from "sluice-jobs";
     import { z } from "zod";
     export default defineScraper({
       name: "pages",
       site: ${JSON.stringify(site.url)},
       input: z.object({ n: z.string() }),
       key: ({ n }) => n,
       pace: { perSecond: ${RATE}, concurrency: 4 },
       async collect({ input, http, keep }) {
         keep.page("page", await http.get("/" + input.n));
       },
       extract: { from: "page", fields: { path: field.text("b") } },
     });`,
  );
  const items = SECONDS * RATE;
  const input = join(folder, "pages.csv");
  writeFileSync(input, `n\n${Array.from({ length: items }, (_, n) => `${n}\n`).join("")}`);
  const env = {
    ...store.env,
    SLUICE_BLOBS: store.url("pages", proxy.url),
    SLUICE_DATA: join(folder, "pages"),
  };
  await run(["run", scraper, "--input", input, "--processes", "1"], env);
  const writes = proxy.passed.filter(({ method, path }) => /^(PUT|POST)$/.test(method) && path !== "/");
  const groups = writes.filter(({ path }) => path.includes("/packs/")).length;
  const inputs = writes.filter(({ path }) => path.includes("/inputs/")).length;
  const once = writes.length - groups - inputs;
  const perMillion = Math.ceil((groups / items) * MILLION) + Math.ceil(MILLION / LOADED_TOGETHER) + once;
  t.diagnostic(
    `${items} items at ${RATE}/s: ${writes.length} write requests, of them ${groups} for groups of pages, ${inputs} for inputs and ${once} once per job: ${perMillion} per million items`,
  );
  assert.ok(groups >= 3 && inputs >= 1);
  assert.ok(perMillion <= 25_000, `${perMillion}`);
});
