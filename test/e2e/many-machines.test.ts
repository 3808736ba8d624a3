import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { parcelsCsv } from "../../examples/county/inputs.ts";
import { seededRandom } from "../../src/domain/testing/seeded-random.ts";
import { patientCounty, startSite } from "./county-process.ts";
import { assertTruth } from "./county-truth.ts";
import { cutAnswers, CuttingProxy } from "./cutting-proxy.ts";
import { NetworkSpaces } from "./network-spaces.ts";
import { Service } from "./service-process.ts";
import { sluice, SluiceProcess } from "./sluice-process.ts";

const PARCELS = 400;
const folder = mkdtempSync(join(tmpdir(), "sluice-machines-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const bytesOf = async function* (rows: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(rows.join(""));
};

/** A separate machine: a project folder with the scrapers and a worker key, without the service's data. */
class Machine {
  readonly folder: string;
  readonly worker: SluiceProcess;

  constructor(name: string, env: Readonly<Record<string, string>>, within: readonly string[], key: string) {
    this.folder = join(folder, name);
    mkdirSync(join(this.folder, "scrapers"), { recursive: true });
    writeFileSync(join(this.folder, "sluice.config.ts"), "export default {};\n");
    writeFileSync(join(this.folder, "scrapers/county.scraper.ts"), patientCounty());
    writeFileSync(join(this.folder, "worker.key"), `${key}\n`, { mode: 0o600 });
    const args = ["worker", "--key-file", "worker.key"];
    this.worker = new SluiceProcess(args, env, this.folder, "ignore", within);
  }

  async logs(event: string): Promise<void> {
    while (!this.#log().includes(`"event":"${event}"`)) {
      assert.equal(this.worker.child.exitCode, null, this.worker.stderr);
      await delay(50);
    }
  }

  /** Whether this worker is one of this machine's processes. */
  runs = (pid: number | undefined): boolean => this.worker.family().includes(pid ?? 0);

  #log(): string {
    try {
      return readFileSync(join(this.folder, "data/logs/worker.jsonl"), "utf8");
    } catch {
      return "";
    }
  }
}

test("two machines work for one controller, and one loses its connection for longer than its leases last", async (t) => {
  const spaces = NetworkSpaces.open(2);
  if (typeof spaces === "string") return t.skip(spaces);
  t.after(() => spaces[Symbol.dispose]());
  const truth = join(folder, "truth.jsonl");
  const county = ["--parcels", `${PARCELS}`, "--troubles", "all", "--truth", truth];
  await using site = await startSite([...county, "--host", spaces.siteHost]);
  const env = { COUNTY_URL: site.url };
  await using service = new Service(join(folder, "service"), env);
  service.writeScraper("county", patientCounty());
  const client = await service.serve();
  await using proxy = await CuttingProxy.open(
    service.url,
    cutAnswers(0.01, seededRandom(1)),
    0,
    spaces.controllerHost,
  );
  const { key } = await client.createKey("default", "worker");
  const machines = ["a", "b"].map(
    (name, n) => new Machine(name, { ...env, SLUICE_LEDGER: proxy.url }, spaces.within(n), key!),
  );
  t.after(async () => {
    for (const { worker } of machines) worker.child.kill("SIGTERM");
    await Promise.all(machines.map(({ worker }) => worker.ended));
  });
  const lost = machines[1]!;
  const [header = "", ...rows] = [...parcelsCsv(PARCELS)].join("").split(/(?<=\n)/);
  const half = rows.length / 2;
  const { job } = await client.createJob({ scraper: "county" });
  const add = (some: readonly string[], seal: boolean) =>
    client.addInputs(job.id, bytesOf([header, ...some]), { format: "csv", seal });
  const seen = async (isSo: (items: number | undefined) => boolean): Promise<void> => {
    for (;;) {
      const { data } = await client.listWorkers();
      if (isSo(data.find(({ pid }) => lost.runs(pid))?.items)) return;
      await delay(20);
    }
  };

  await seen((items) => items !== undefined);
  await add(rows.slice(0, half), false);
  await seen((items) => (items ?? 0) > 0);
  spaces.cut(1);
  await lost.logs("controller does not answer");
  await seen((items) => items === undefined);
  await add(rows.slice(half), true);
  spaces.mend(1);
  await lost.logs("controller answers again");
  await seen((items) => items !== undefined);
  await service.until(job.id, ({ state }) => state === "done");

  const manifest = join(service.data, "blobs/jobs", job.id, "manifest.jsonl");
  while (!existsSync(manifest)) await delay(50);
  assertTruth(truth, service.data);
  const { code, stdout } = await sluice(["fsck", "--data", service.data]);
  assert.equal(code, 0, stdout);
});
