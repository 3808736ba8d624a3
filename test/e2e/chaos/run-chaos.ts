import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type ManifestEntry, manifestName, readManifest } from "../../../src/archive/manifest.ts";
import { ifFound } from "../../../src/archive/stored-bytes.ts";
import { SluiceClient } from "../../../src/client.ts";
import { openBlobs, openStorage } from "../../../src/compose.ts";
import { storageLocation } from "../../../src/config/storage-location.ts";
import type { Blobs } from "../../../src/ports/blobs.ts";
import type { StorageLocation } from "../../../src/ports/storage.ts";
import { checkHistory } from "../../../src/ports/ledger-suite/history/check-history.ts";
import { seededRandom } from "../../../src/domain/testing/seeded-random.ts";
import { startSite } from "../county-process.ts";
import { assertTruth } from "../county-truth.ts";
import { cutAnswers, CuttingProxy } from "../cutting-proxy.ts";
import { NetworkSpaces } from "../network-spaces.ts";
import { Service } from "../service-process.ts";
import { allDelivered } from "./all-delivered.ts";
import { assertPace } from "./assert-pace.ts";
import { assertTold } from "./assert-told.ts";
import { feedInputs } from "./feed-inputs.ts";
import { JobWatch } from "./job-watch.ts";
import { assertAlive, killAtRandom } from "./killer.ts";
import { readHistory } from "./read-history.ts";
import { PACE } from "./pace.ts";
import { controllerOf, remoteWorkerOf, type Victim, workerOf } from "./victims.ts";
import { WrongClock } from "./wrong-clock.ts";
import { WebhookReceiver } from "./webhook-receiver.ts";

/** Where the service's ledger and archive are, and how workers reach them. Left out: in its data folder, with workers of all sorts. */
export interface ChaosStorage {
  readonly ledger?: string;
  readonly blobs?: string;
  /** For the S3 store's keys. */
  readonly env?: Readonly<Record<string, string>>;
  /** Workers beside the controller, with its configuration. */
  readonly workers: number;
  /** Workers that reach the ledger over the network: through the controller, or the database itself. */
  readonly remoteWorkers: number;
}

export interface ChaosPlan {
  readonly folder: string;
  /** Not 0. */
  readonly seed: number;
  readonly killMs: number;
  readonly parcels: number;
  /** How late a request may reach the site, see `assertPace`. */
  readonly seenLateMs: number;
  /** How long one of the remote workers cannot reach the controller. */
  readonly cutMs: number;
  readonly storage?: ChaosStorage;
  /** Machines are only disturbed: the first is cut off, the second has a wrong clock, and this share of the packets of all is lost. */
  readonly machines?: { readonly lossShare: number };
  readonly say: (line: string) => void;
}

const HOSTS = 8;
/** Remote workers have network namespaces of their own, as if on machines of their own. */
const SQLITE: ChaosStorage = { workers: 1, remoteWorkers: 2 };
/** Share of the answers to remote workers that are lost. */
const LOST_SHARE = 0.01;
const PROGRESS_MS = 2000;
const SAY_MS = 5000;
const LOOK_MS = 200;
/** How long the service waits for a silent worker before its leases end. */
const LEASE_MS = 15_000;
/** A slot is given back as late as its pulse waits for the ledger's lock. */
const SLOTS_BACK_MS = 1000;

/**
 * A county with every kind of trouble on several hosts, a controller, workers beside it and workers that have only the network, one of which is
 * killed every few seconds. Of the answers over the network some are lost, and one of the remote workers is cut off for a while. Inputs come in while it lasts. In the end everything is as if nothing had happened, or it throws.
 */
export const runChaos = async (plan: ChaosPlan) => {
  const { folder, seed, killMs, parcels, seenLateMs, cutMs, say, storage = SQLITE, machines } = plan;
  // The site has an address of the first space, the controller one of the second.
  const opened =
    storage.remoteWorkers === 0 ? undefined : NetworkSpaces.open(Math.max(2, storage.remoteWorkers));
  if (typeof opened === "string") {
    if (machines) throw new Error(opened);
    say(`${opened}. Remote workers use loopback, and none is cut off.`);
  }
  using spaces = typeof opened === "string" ? undefined : opened;
  const [truth, log] = [join(folder, "truth.jsonl"), join(folder, "site.jsonl")];
  const county = ["--parcels", `${parcels}`, "--troubles", "all", "--truth", truth];
  const hosts = ["--host", spaces?.siteHost ?? "127.0.0.1", "--hosts", `${HOSTS}`];
  await using site = await startSite([...county, ...hosts, "--log", log]);
  await using receiver = await WebhookReceiver.open(seededRandom(seed));
  const history = join(folder, "history");
  mkdirSync(history, { recursive: true });
  const env = {
    NODE_OPTIONS: `--import=${join(import.meta.dirname, "record-ledger.ts")}`,
    SLUICE_HISTORY: history,
    ...storage.env,
  };
  const { ledger, blobs = `file:${join(folder, "service/data/blobs")}` } = storage;
  const config = {
    ...(ledger !== undefined && { ledger }),
    blobs,
    scrapers: join(import.meta.dirname, "scrapers"),
    allowTargets: ["127.0.0.0/8", "10.0.0.0/8"],
  };
  await using service = new Service(join(folder, "service"), env);
  service.configure(config);
  await service.serve();
  await using relay = await CuttingProxy.open(
    ledger ?? service.url,
    cutAnswers(machines ? 0 : LOST_SHARE, seededRandom(seed)),
    0,
    spaces?.controllerHost,
  );
  const { key } = await service.client.createKey("default", "worker");
  receiver.secret = (await service.client.createWebhook({ url: receiver.url })).secret!;
  const { job } = await service.client.createJob({ scraper: "county-hosts", progressMs: PROGRESS_MS });
  const client = new SluiceClient({ server: service.url, key: service.key, retries: 0 });
  const watch = new JobWatch(client, job.id);
  const location = storageLocation({ data: service.data, ledger, blobs });
  const archive = await openBlobs(location);
  const manifest = (): Promise<Uint8Array | undefined> => ifFound(archive.get(manifestName(job.id)));
  const workers = Array.from({ length: storage.workers }, (_, n) => workerOf(service, `worker ${n + 1}`));
  const through =
    ledger === undefined
      ? { SLUICE_LEDGER: relay.url, SLUICE_KEY: key! }
      : { SLUICE_LEDGER: viaRelay(ledger, relay.url) };
  const clock = machines && new WrongClock(folder);
  const remotes = Array.from({ length: storage.remoteWorkers }, (_, n) => {
    if (machines) spaces!.lose(n, machines.lossShare);
    return remoteWorkerOf(`remote worker ${n + 1}`, {
      folder: join(folder, `machine-${n + 1}`),
      // A controller has the archive; a database has not.
      config:
        ledger === undefined ? { scrapers: config.scrapers, allowTargets: config.allowTargets } : config,
      env: { ...env, ...through, ...(n === 1 && clock?.env) },
      within: spaces?.within(n) ?? [],
    });
  });
  await using running = stopAtEnd(remotes);
  const controller = controllerOf(service);
  const victims = [controller, ...workers, ...remotes];
  const kills: string[] = [];

  const startedAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - startedAt) / 1000);
  const report = (): void =>
    say(`${seconds()} s: ${kills.length} kills; ${watch.summary}; ${receiver.taken.size} events told`);
  const over = new AbortController();
  const { signal } = over;
  const cutOff = async (): Promise<void> => {
    if (!spaces || remotes.length === 0) return;
    await delay((killMs - cutMs) / 2, undefined, { signal });
    const [remote] = remotes as [Victim];
    remote.isSpared = true;
    await untilWorking(remote);
    spaces.cut(0);
    say(`${seconds()} s: remote worker 1 is cut off`);
    await delay(cutMs, undefined, { signal });
    spaces.mend(0);
    remote.isSpared = false;
    say(`${seconds()} s: remote worker 1 is connected again`);
  };
  const untilTheEnd = async (): Promise<void> => {
    await Promise.all([
      cutOff(),
      machines
        ? clock!.step(killMs, signal)
        : killAtRandom({ victims, kills, forMs: killMs, random: seededRandom(seed), signal }),
      feedInputs({ client, job: job.id, parcels, hosts: site.urls, forMs: killMs, signal }),
    ]);
    say(`${seconds()} s: the killing is over, the job is sealed`);
    await watch.untilDone(signal);
    say(`${seconds()} s: the job is done`);
    while (!(await manifest())) await delay(LOOK_MS, undefined, { signal });
    const delivered = await allDelivered(service.client, job.id, signal);
    assert.deepEqual(delivered.toSorted(), [...receiver.taken.keys()].toSorted(), "each was taken");
    over.abort();
  };
  const tasks = [untilTheEnd(), watch.keepLooking(signal)];
  const reporting = setInterval(report, SAY_MS);
  try {
    await Promise.all(tasks);
  } finally {
    clearInterval(reporting);
    over.abort();
    await Promise.allSettled(tasks);
  }
  report();
  for (const { name, process } of victims) assertAlive(name, process);

  await watch.look();
  const items = (await watch.callRoll())!;
  const ended = watch.last!;
  assert.equal(ended.counts.accepted, parcels);
  assert.equal(items.size, parcels, "every item has a final state");
  const copy = join(folder, "copy/blobs/jobs", job.id);
  mkdirSync(copy, { recursive: true });
  writeFileSync(join(copy, "manifest.jsonl"), (await manifest())!);
  assertTruth(truth, join(folder, "copy"));
  await assertStored(archive, await Array.fromAsync(readManifest(archive, job.id)));
  assertTold(receiver, ended, items);
  await running[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await assertAllTold(location);
  await site[Symbol.asyncDispose]();
  const { requests, mostInASecond } = assertPace(log, PACE, seenLateMs);
  const calls = readHistory(history);
  assert.deepEqual(
    checkHistory(calls, { leaseMs: LEASE_MS, slackMs: SLOTS_BACK_MS }),
    [],
    "the ledger keeps its laws",
  );
  return {
    seed,
    seconds: seconds(),
    kills: kills.length,
    controllerKills: kills.filter((name) => name === controller.name).length,
    items: parcels,
    failed: ended.counts.states.failed,
    folded: ended.counts.folded,
    rejected: ended.counts.rejected,
    requests,
    lostAnswers: relay.cuts,
    cutMs: spaces ? cutMs : 0,
    ...(clock && { clockSteps: clock.steps }),
    calls: calls.length,
    unheardCalls: calls.filter(({ answer }) => answer === "unknown").length,
    mostInASecond,
    allowedInASecond: PACE.perSecond + PACE.burst,
    polls: watch.looks,
    unanswered: watch.unanswered,
    rollCalls: watch.rollCalls,
    events: receiver.taken.size,
    progressEvents: receiver.ofType("job.progress").length,
    deliveries: receiver.tries,
    refused: receiver.refused,
    doubled: receiver.doubled,
    longestStillMs: Math.round(watch.longestStillMs),
  };
};

/** A worker that never reached the controller gives up soon. The killer may still be running. */
const untilWorking = async (victim: Victim): Promise<void> => {
  for (;;)
    try {
      return await victim.process.says(/Working for/);
    } catch {
      await delay(LOOK_MS);
    }
};

/** Everything that items refer to is there. */
const assertStored = async (archive: Blobs, items: readonly ManifestEntry[]): Promise<void> => {
  const ranges = items.flatMap(({ captures, records }) => [...captures, ...(records ? [records] : [])]);
  const ends = new Map<string, number>();
  for (const { blob, offset, length } of ranges)
    ends.set(blob, Math.max(offset + length, ends.get(blob) ?? 0));
  assert.ok(ends.size > 0);
  for (const [blob, end] of ends)
    assert.equal((await archive.get(blob, { offset: end - 1, length: 1 })).length, 1, blob);
};

/** The same database at the relay's address. */
const viaRelay = (ledger: string, relay: string): string =>
  ledger.replace(/@[^/]+/, `@${new URL(relay).host}`);

/** While the controller still answers them. */
const stopAtEnd = (victims: readonly Victim[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    for (const { process } of victims) process.child.kill("SIGTERM");
    await Promise.all(victims.map(({ process }) => process.ended));
  },
});

const assertAllTold = async (location: StorageLocation): Promise<void> => {
  await using storage = await openStorage(location);
  assert.deepEqual(
    await storage.ledger.events.read({ consumer: "webhooks", limit: 1 }),
    [],
    "all are delivered",
  );
};
