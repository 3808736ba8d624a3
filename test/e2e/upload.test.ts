import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { json } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { constants, createGzip } from "node:zlib";
import { ProblemError } from "../../src/client.ts";
import { LoopbackSite } from "./loopback-site.ts";
import { Service } from "./service-process.ts";

const SCRAPER = `
  import { defineScraper } from "sluice";
  import { z } from "zod";
  export default defineScraper({
    name: "parcels",
    site: process.env["SITE_URL"],
    input: z.object({ parcel: z.string().regex(/^\\d+$/), year: z.string() }),
    key: ({ parcel }) => parcel,
    robots: "ignore",
    pace: { perSecond: 2000, concurrency: 16 },
    async collect({ input, http, keep }) {
      keep.page("page", await http.get("/parcel/" + input.parcel));
    },
  });`;

const folder = mkdtempSync(join(tmpdir(), "sluice-upload-"));
let site: LoopbackSite;
let service: Service;

before(async () => {
  site = await LoopbackSite.open();
  service = new Service(join(folder, "service"), { SITE_URL: site.url });
  service.writeScraper("parcels", SCRAPER);
  await service.serve("--workers", "1");
});
after(async () => {
  await service?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const HEADER = "parcel,year\n";
const rows = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `${from + n},2026\n`).join("");

const newJob = async (): Promise<string> => (await service.client.createJob({ scraper: "parcels" })).job.id;

/** An upload whose body is written piece by piece and stays open in between. */
const openUpload = (job: string, headers: Readonly<Record<string, string>> = {}): ClientRequest => {
  const upload = request(new URL(`/v1/jobs/${job}/inputs`, service.url), {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "text/csv", ...headers },
  });
  upload.on("error", () => undefined);
  return upload;
};

const answerOf = async (upload: ClientRequest): Promise<unknown> => {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  upload.once("response", resolve).once("error", reject);
  return await json(await promise);
};

const takenFrom = async (job: string, least: number): Promise<number> => {
  for (;;) {
    const { offset } = await service.client.readUpload(job);
    if (offset >= least) return offset;
    await delay(20);
  }
};

/** Every parcel was requested once, and nothing else. */
const assertAskedOnce = (from: number, to: number): void => {
  const asked = site.arrived.map((path) => Number(path.slice("/parcel/".length)));
  const own = asked.filter((parcel) => parcel >= from && parcel < to).toSorted((a, b) => a - b);
  assert.deepEqual(
    own,
    Array.from({ length: to - from }, (_, n) => from + n),
  );
};

test("a job's first items run while its upload is open, and a second upload has to wait", async () => {
  const job = await newJob();
  const upload = openUpload(job);
  const answer = answerOf(upload);
  upload.write(HEADER + rows(0, 3));
  await site.arrivals(3);

  const second = service.client.addInputs(job, stream(HEADER + rows(3, 10)), { format: "csv" });
  await assert.rejects(second, (error) => {
    assert.ok(error instanceof ProblemError);
    assert.deepEqual([error.status, error.code], [409, "upload-in-progress"]);
    return true;
  });
  upload.end(rows(3, 2000));
  assert.deepEqual(await answer, { offset: 2000, accepted: 2000, folded: 0, rejected: 0, capped: 0 });
  await service.client.sealJob(job);
  await service.until(job, ({ state }) => state === "done");
  assertAskedOnce(0, 2000);
});

test("a gzipped upload continues at its offset after a cut, and no input is lost, doubled or accepted unchecked", async () => {
  const job = await newJob();
  const broken = openUpload(job, { "content-encoding": "gzip" });
  const gzip = createGzip();
  gzip.pipe(broken);
  gzip.write(`${HEADER}not-a-parcel,2026\n${rows(10_000, 11_000)}`);
  gzip.flush(constants.Z_SYNC_FLUSH);
  const offset = await takenFrom(job, 500);
  broken.destroy();

  const all = ["not-a-parcel,2026\n", ...rows(10_000, 12_000).split(/(?<=\n)/), "12000\n"].filter(Boolean);
  const rest = openUpload(job, { "content-encoding": "gzip", "upload-offset": String(offset) });
  const answer = answerOf(rest);
  const second = createGzip();
  second.pipe(rest);
  second.end(HEADER + all.slice(offset).join(""));
  assert.deepEqual(await answer, { offset: 2002, accepted: 2000, folded: 0, rejected: 2, capped: 0 });
  await service.client.sealJob(job);
  const { counts, rejects } = await service.until(job, ({ state }) => state === "done");
  assert.deepEqual([counts.states.done, counts.rejected, rejects.length], [2000, 2, 2]);
  assertAskedOnce(10_000, 12_000);
});

test("an upload continues after the controller was killed, and no input is lost or doubled", async () => {
  const job = await newJob();
  const broken = openUpload(job);
  broken.write(HEADER + rows(20_000, 26_000));
  await takenFrom(job, 500);
  service.controller.child.kill("SIGKILL");
  await service.controller.ended;
  broken.destroy();

  const client = await service.serve("--workers", "1");
  const { offset } = await client.readUpload(job);
  const told = await client.addInputs(job, stream(HEADER + rows(20_000 + offset, 30_000)), {
    format: "csv",
    offset,
    seal: true,
  });
  assert.deepEqual([told.offset, told.accepted + told.folded], [10_000, 10_000]);
  const { counts } = await service.until(job, ({ state }) => state === "done");
  assert.deepEqual([counts.accepted, counts.states.done], [10_000, 10_000]);
});

test("the server process has a small heap", async () => {
  const { pid } = service.controller.child;
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  assert.ok(command.includes("--max-semi-space-size=8"), command.join(" "));
});

async function* stream(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
