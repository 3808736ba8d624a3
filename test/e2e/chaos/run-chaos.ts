import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SluiceClient } from "../../../src/client.ts";
import { openStorage } from "../../../src/compose.ts";
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
import { WebhookReceiver } from "./webhook-receiver.ts";

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
  readonly say: (line: string) => void;
}

const HOSTS = 8;
const WORKERS = 1;
/** More workers, each in its own network namespace, as if on its own machine. */
const REMOTE_WORKERS = 2;
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
 * A county with every kind of trouble on several hosts, a controller, a worker on its data folder and two that have only the network, one of which is
 * killed every few seconds. Of the answers over the network some are lost, and one of the remote workers is cut off for a while. Inputs come in while it lasts. In the end everything is as if nothing had happened, or it throws.
 */
export const runChaos = async ({ folder, seed, killMs, parcels, seenLateMs, cutMs, say }: ChaosPlan) => {
  const opened = NetworkSpaces.open(REMOTE_WORKERS);
  if (typeof opened === "string") say(`${opened}. Remote workers use loopback, and none is cut off.`);
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
  };
  const config = {
    scrapers: join(import.meta.dirname, "scrapers"),
    allowTargets: ["127.0.0.0/8", "10.0.0.0/8"],
  };
  await using service = new Service(join(folder, "service"), env);
  service.configure(config);
  await service.serve();
  await using relay = await CuttingProxy.open(
    service.url,
    cutAnswers(LOST_SHARE, seededRandom(seed)),
    0,
    spaces?.controllerHost,
  );
  const { key } = await service.client.createKey("default", "worker");
  receiver.secret = (await service.client.createWebhook({ url: receiver.url })).secret!;
  const { job } = await service.client.createJob({ scraper: "county-hosts", progressMs: PROGRESS_MS });
  const client = new SluiceClient({ server: service.url, key: service.key, retries: 0 });
  const watch = new JobWatch(client, job.id);
  const manifest = join(service.data, "blobs/jobs", job.id, "manifest.jsonl");
  const workers = Array.from({ length: WORKERS }, (_, n) => workerOf(service, `worker ${n + 1}`));
  const remotes = Array.from({ length: REMOTE_WORKERS }, (_, n) =>
    remoteWorkerOf(`remote worker ${n + 1}`, {
      folder: join(folder, `machine-${n + 1}`),
      config,
      env: { ...env, SLUICE_LEDGER: relay.url, SLUICE_KEY: key! },
      within: spaces?.within(n) ?? [],
    }),
  );
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
    if (!spaces) return;
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
      killAtRandom({ victims, kills, forMs: killMs, random: seededRandom(seed), signal }),
      feedInputs({ client, job: job.id, parcels, hosts: site.urls, forMs: killMs, signal }),
    ]);
    say(`${seconds()} s: the killing is over, the job is sealed`);
    await watch.untilDone(signal);
    say(`${seconds()} s: the job is done`);
    while (!existsSync(manifest)) await delay(LOOK_MS, undefined, { signal });
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
  assertTruth(truth, service.data);
  assertTold(receiver, ended, items);
  await running[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
  await assertAllTold(service.data);
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

/** While the controller still answers them. */
const stopAtEnd = (victims: readonly Victim[]): AsyncDisposable => ({
  async [Symbol.asyncDispose]() {
    for (const { process } of victims) process.child.kill("SIGTERM");
    await Promise.all(victims.map(({ process }) => process.ended));
  },
});

const assertAllTold = async (data: string): Promise<void> => {
  await using storage = await openStorage(data);
  assert.deepEqual(
    await storage.ledger.events.read({ consumer: "webhooks", limit: 1 }),
    [],
    "all are delivered",
  );
};
