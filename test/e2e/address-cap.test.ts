import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { LoopbackSite } from "./loopback-site.ts";
import { NameServer } from "./name-server.ts";
import { Service } from "./service-process.ts";
import { SluiceProcess } from "./sluice-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-address-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = Array.from({ length: 16 }, (_, n) => `name${n}.example`);
const PER_SECOND = 5;

test("host names with one address share a pace over all workers if an operator says so", async () => {
  await using site = await LoopbackSite.open();
  const names = Object.fromEntries(NAMES.map((name) => [name, ["127.0.0.1"]]));
  await using nameServer = await NameServer.open(names);
  await using service = new Service(folder, nameServer.env);
  service.configure({ allowTargets: ["127.0.0.1"] });
  const client = await service.serve("--workers", "2");
  const { port } = new URL(site.url);
  const fetchAll = async (path: string): Promise<number> => {
    const begunAt = performance.now();
    const { batch } = await client.createBatch({
      urls: NAMES.map((name) => `http://${name}:${port}/${path}`),
    });
    const { counts } = await service.until(batch.id, ({ state }) => state === "done");
    assert.equal(counts.states.done, NAMES.length);
    return (performance.now() - begunAt) / 1000;
  };
  await fetchAll("free");
  const set = ["lanes", "set", "address:*", "--rate", String(PER_SECOND), "--data", service.data];
  assert.equal((await new SluiceProcess(set, {}, service.folder).ended).code, 0);

  const seconds = await fetchAll("capped");
  // This also holds on a busy machine: each name has its own lane, in which a single request never waits.
  assert.ok(seconds > (NAMES.length - 4) / PER_SECOND, `${NAMES.length} requests in ${seconds} s`);
  assert.equal(site.arrived.length, 2 * NAMES.length);
  const { data } = await client.listLanes();
  assert.ok(data.some(({ lane }) => lane === "address:127.0.0.1"));
});
