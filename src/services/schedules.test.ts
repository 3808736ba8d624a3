import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScheduleConfig } from "../config/define-config.ts";
import type { StageCall } from "./firing-stages.ts";
import { LOCAL_ACTOR } from "./context.ts";
import { applyConfig, ownTarget } from "./apply-config.ts";
import { saveDataset } from "./datasets.ts";
import { uploadSet } from "./input-sets.ts";
import { Problem } from "./problem.ts";
import {
  backfillSchedule,
  changeSchedule,
  pauseSchedule,
  previewTimes,
  removeSchedule,
  repeatStage,
  resumeSchedule,
  runSchedule,
  showSchedule,
} from "./schedules.ts";
import { readSchedule } from "./schedule-documents.ts";
import { openScheduleKit, parcels, rowsOf } from "./testing/schedule-kit.ts";

/** 05:00 UTC is 06:00 in Berlin in winter. */
const statesOf = (firings: readonly { readonly at: string; readonly state: string }[]): string[] =>
  firings.map(({ at, state }) => `${at.slice(8, 16)} ${state}`);
const problemOf = async (doing: Promise<unknown>): Promise<string> =>
  await doing.then(
    () => "none",
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );

test("the next five times are shown in the zone and in UTC, over a change of the clocks", async () => {
  const now = () => Date.parse("2026-10-23T12:00:00Z");
  const times = await previewTimes({ now }, { when: { cron: "30 2 * * *", zone: "Europe/Berlin" } });
  assert.deepEqual(times[0], { at: "2026-10-24T00:30:00.000Z", local: "Sat 2026-10-24 02:30 GMT+2" });
  assert.deepEqual(times[1], { at: "2026-10-25T00:30:00.000Z", local: "Sun 2026-10-25 02:30 GMT+2" });
  assert.deepEqual(times[2], { at: "2026-10-26T01:30:00.000Z", local: "Mon 2026-10-26 02:30 GMT+1" });
  assert.equal(times.length, 5);
});

test("a firing creates its job, which gets its inputs, also when the controller is gone in between", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  const { ledger, blobs } = kit.services;
  await uploadSet(kit.services, LOCAL_ACTOR, "parcels", {
    rows: rowsOf(parcels("1", "2", "3")),
    change: "replace",
    by: "test",
  });
  await kit.create("county-daily", { inputsFrom: { set: "parcels" } });
  await kit.fire("2026-11-17T04:59:59Z");
  assert.deepEqual(await kit.firings("county-daily"), []);
  await kit.fire("2026-11-17T05:00:00Z");
  await kit.fire(); // another controller
  const [firing] = await kit.firings("county-daily");
  assert.equal(firing?.state, "running");
  // The set changes before the inputs are loaded: the job keeps the version that it has begun with.
  await uploadSet(kit.services, LOCAL_ACTOR, "parcels", {
    rows: rowsOf(parcels("4")),
    change: "add",
    by: "test",
  });
  const job = firing.job!;
  const before = await ledger.readJob(job);
  assert.deepEqual(before?.spec.inputsFrom, { set: "parcels", version: 1 });
  assert.deepEqual(before?.spec.labels, { schedule: "county-daily" });
  assert.equal(before?.counts.accepted, 0);
  // A load that broke off after its first batch.
  const items = parcels("1", "2").map((input) => ({
    key: String(input["parcel"]),
    input: JSON.stringify(input),
    lane: "county.example",
  }));
  await ledger.addItems(job, items, []);
  await kit.load();
  const after = await ledger.readJob(job);
  assert.equal(after?.isSealed, true);
  const { items: loaded } = await ledger.listItems(job, { limit: 10 });
  assert.deepEqual(loaded.map(({ key }) => key).toSorted(), ["1", "2", "3"]);
  const types = (await ledger.events.read({ limit: 100 })).map(({ type }) => type);
  assert.deepEqual(
    types.filter((type) => type.startsWith("schedule.")),
    ["schedule.fired"],
  );
  assert.ok((await Array.fromAsync(blobs.list("inputs/parcels/"))).length === 2);
});

test("a job that has not ended counts as running, also while it is paused", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  await kit.create("daily");
  await kit.fire("2026-11-17T05:00:00Z");
  const [{ job } = { job: "" }] = await kit.firings("daily");
  await kit.load();
  await kit.services.ledger.controlJob(job!, "pause");
  await kit.advance();
  await kit.fire("2026-11-18T05:00:01Z");
  assert.deepEqual(statesOf(await kit.firings("daily")), ["17T05:00 running", "18T05:00 skipped"]);
  await kit.services.ledger.controlJob(job!, "cancel");
  await kit.advance();
  await kit.fire("2026-11-19T05:00:01Z");
  assert.deepEqual(statesOf(await kit.firings("daily")), [
    "17T05:00 failed",
    "18T05:00 skipped",
    "19T05:00 running",
  ]);
  const { counts } = await showSchedule(kit.services, LOCAL_ACTOR, "daily");
  assert.deepEqual(counts, { fired: 2, done: 0, failed: 1, skipped: 1, missed: 0 });
});

test("of several missed times the latest fires and the others are told, and nothing is made up for after a pause", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  await kit.create("daily", { inputsFrom: { itemsOf: { which: "absent" } } });
  await kit.fire("2026-11-20T04:00:00Z");
  assert.deepEqual(statesOf(await kit.firings("daily")), [
    "17T05:00 missed",
    "18T05:00 missed",
    "19T05:00 running",
  ]);
  await kit.load();
  await kit.advance();
  await pauseSchedule(kit.services, LOCAL_ACTOR, "daily", "test");
  await kit.fire("2026-11-22T12:00:00Z");
  assert.equal((await resumeSchedule(kit.services, LOCAL_ACTOR, "daily", false)).counts.skipped, 3);
  await kit.fire();
  assert.deepEqual(statesOf(await kit.firings("daily")).at(-1), "19T05:00 done");
  await kit.fire("2026-11-23T05:00:00Z");
  assert.deepEqual(statesOf(await kit.firings("daily")).at(-1), "23T05:00 running");
});

test("times that were missed are backfilled one after another, each once", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  await kit.create("daily", { inputsFrom: { itemsOf: { which: "absent" } } });
  await kit.fire("2026-11-20T04:00:00Z");
  const period = { from: "2026-11-17T00:00:00Z", to: "2026-11-30T00:00:00Z" };
  const { queued, fired } = await backfillSchedule(kit.services, LOCAL_ACTOR, "daily", period);
  assert.deepEqual([queued.length, fired], [2, 1]);
  for (let round = 0; round < 4; round++) {
    await kit.load();
    await kit.advance();
    await kit.fire();
  }
  const firings = await kit.firings("daily");
  assert.deepEqual(statesOf(firings), ["17T05:00 done", "18T05:00 done", "19T05:00 done"]);
  assert.equal(new Set(firings.map(({ job }) => job)).size, 3);
  assert.deepEqual((await backfillSchedule(kit.services, LOCAL_ACTOR, "daily", period)).queued, []);
  const century = { from: "1926-11-17T00:00:00Z", to: "2026-11-30T00:00:00Z" };
  assert.equal(await problemOf(backfillSchedule(kit.services, LOCAL_ACTOR, "daily", century)), "too-many");
});

test("stages follow each other, a failed one leaves out the rest, and each can be repeated", async () => {
  const calls: string[] = [];
  let isGood = false;
  const runner =
    (name: string) =>
    async ({ job, dataset }: StageCall) => {
      calls.push(`${name} ${dataset} ${job.state}`);
      return { ok: name !== "audit" || isGood, detail: name === "audit" ? "rows: 0, at least 10" : "" };
    };
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z", {
    audit: runner("audit"),
    publish: runner("publish"),
  });
  await saveDataset(kit.services, LOCAL_ACTOR, "taxes", { sources: [{ scraper: "county" }] });
  await kit.create("daily", { inputsFrom: { itemsOf: { which: "absent" } }, dataset: "taxes" });
  await kit.create("follower", { inputsFrom: { itemsOf: { which: "absent" } }, when: { after: "daily" } });
  await kit.fire("2026-11-17T05:00:00Z");
  await kit.load();
  await kit.advance();
  const [failed] = await kit.firings("daily");
  assert.equal(failed?.state, "failed");
  assert.equal(failed?.reason, "audit: rows: 0, at least 10");
  assert.deepEqual(
    failed?.stages.map(({ name, state }) => `${name} ${state}`),
    ["collect done", "audit failed", "publish left-out"],
  );
  await kit.fire();
  assert.deepEqual(await kit.firings("follower"), []);
  isGood = true;
  const at = Date.parse(failed.at);
  await repeatStage(kit.services, LOCAL_ACTOR, "daily", at, { stage: "audit", onward: true });
  assert.equal(
    await problemOf(repeatStage(kit.services, LOCAL_ACTOR, "daily", at, { stage: "audit" })),
    "still-running",
  );
  await kit.advance();
  assert.deepEqual(statesOf(await kit.firings("daily")), ["17T05:00 done"]);
  assert.deepEqual(calls, ["audit taxes done", "audit taxes done", "publish taxes done"]);
  await kit.fire();
  await kit.fire();
  // For the nominal time of the release that it follows.
  assert.deepEqual(statesOf(await kit.firings("follower")), ["17T05:00 running"]);
});

test("run now fires once, and not while a firing runs", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  await kit.create("daily");
  const firing = await runSchedule(kit.services, LOCAL_ACTOR, "daily");
  assert.deepEqual([firing.cause, firing.at, firing.state], ["asked", "2026-11-16T12:00:00.000Z", "running"]);
  assert.equal(await problemOf(runSchedule(kit.services, LOCAL_ACTOR, "daily")), "still-running");
});

test("a schedule that cannot start says why, and fires again when it can", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  const { services } = kit;
  await kit.create("daily", { job: { proxies: ["residential"] } });
  await kit.fire("2026-11-17T05:00:00Z");
  const [firing] = await kit.firings("daily");
  assert.equal(firing?.state, "failed");
  assert.match(firing?.reason ?? "", /it could not start: .*prox/);
  const definition = { scraper: "county", when: { everyMs: 3_600_000 }, inputsFrom: { rows: parcels("1") } };
  await changeSchedule(services, LOCAL_ACTOR, "daily", definition, {
    origin: "api",
    guardsTargets: true,
    by: "test",
  });
  await kit.fire("2026-11-17T06:00:00Z");
  assert.equal((await kit.firings("daily")).at(-1)?.state, "running");
});

test("inputs that cannot be loaded end the firing with the reason", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  await kit.create("daily", { inputsFrom: { file: `${kit.folder}/none.csv` } });
  await kit.fire("2026-11-17T05:00:00Z");
  await kit.load();
  await kit.advance();
  const [firing] = await kit.firings("daily");
  assert.equal(firing?.state, "failed");
  assert.match(
    firing?.reason ?? "",
    /collect: the inputs cannot be loaded: .*none\.csv: the file does not exist/,
  );
});

test("what is wrong with a schedule is told before it is stored", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  const { services } = kit;
  assert.equal(
    await problemOf(kit.create("a", { when: { cron: "0 6 * * *", zone: "Mars/Base" } })),
    "invalid-request",
  );
  assert.equal(await problemOf(kit.create("a", { inputsFrom: { set: "none" } })), "not-found");
  assert.equal(await problemOf(kit.create("a", { when: { after: "none" } })), "invalid-request");
  assert.equal(await problemOf(kit.create("a", { stages: ["collect", "publish"] })), "invalid-request");
  assert.match(await problemOf(kit.create("a", { scraper: "none" })), /No scraper is named/);
  assert.equal(await problemOf(kit.create("a", { dataset: "taxes" })), "invalid-request");
  await saveDataset(services, LOCAL_ACTOR, "roads", { sources: [{ scraper: "roads" }] });
  assert.equal(await problemOf(kit.create("a", { dataset: "roads" })), "invalid-request");
  await kit.create("a");
  assert.equal(await problemOf(kit.create("a")), "schedule-exists");
  await kit.create("b", { when: { after: "a" } });
  const circle = { scraper: "county", when: { after: "b" }, inputsFrom: { rows: parcels("1") } };
  const origin = { origin: "api", guardsTargets: true, by: "test" } as const;
  assert.equal(
    await problemOf(changeSchedule(services, LOCAL_ACTOR, "a", circle, origin)),
    "invalid-request",
  );
  const file = { ...circle, when: { everyMs: 60_000 }, inputsFrom: { file: "/etc/passwd" } };
  assert.equal(await problemOf(changeSchedule(services, LOCAL_ACTOR, "a", file, origin)), "forbidden");
  assert.equal(await problemOf(removeSchedule(services, LOCAL_ACTOR, "a")), "in-use");
});

test("missed times are told in one event, and a schedule without success for three times is late until it succeeds", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  const { ledger } = kit.services;
  await kit.create("daily", { inputsFrom: { itemsOf: { which: "absent" } } });
  await kit.fire("2026-11-20T04:00:00Z");
  const events = (await ledger.events.read({ limit: 100 })).filter(({ type }) =>
    type.startsWith("schedule."),
  );
  assert.deepEqual(
    events.map(({ type, facts }) => `${type} ${JSON.stringify(facts["count"]) ?? ""}`),
    ["schedule.fired ", "schedule.missed 2", "schedule.late "],
  );
  assert.equal(events[0]?.facts["scraper"], "county");
  const lateSince = async () => (await readSchedule(ledger, "daily"))?.body.lateSince;
  assert.ok((await lateSince()) !== undefined);
  await kit.load();
  await kit.advance();
  assert.equal(await lateSince(), undefined);
});

test("schedules of the configuration are applied, changed and removed with it; others stay", async () => {
  await using kit = await openScheduleKit("2026-11-16T12:00:00Z");
  const { services } = kit;
  await kit.create("mine");
  const weekly = {
    scraper: "county",
    when: { cron: "0 6 * * mon", zone: "UTC" },
    inputsFrom: { rows: parcels("1") },
  };
  const follower = { ...weekly, when: { after: "weekly" } };
  // In an order in which the first follows the second.
  const apply = async (schedules: Readonly<Record<string, ScheduleConfig>>, how = {}): Promise<string[]> =>
    (await applyConfig(ownTarget(services), { schedules, folder: "." }, how)).map(
      ({ name, result }) => `${name} ${result}`,
    );
  assert.deepEqual(await apply({ follower, weekly }, { isDry: true }), [
    "weekly created",
    "follower created",
  ]);
  assert.deepEqual(await apply({ follower, weekly }), ["weekly created", "follower created"]);
  assert.deepEqual(await apply({ follower, weekly }), ["weekly unchanged", "follower unchanged"]);
  const before = await showSchedule(services, LOCAL_ACTOR, "weekly");
  assert.deepEqual([before.revision, before.origin], [1, "config"]);
  const changed = { weekly: { ...weekly, overlap: "allow", jitterMs: 1000 } } as const;
  for (const isDry of [true, false])
    assert.deepEqual(await apply(changed, { isDry }), ["weekly changed", "follower removed"]);
  const after = await showSchedule(services, LOCAL_ACTOR, "weekly");
  assert.deepEqual([after.overlap, after.jitterMs], ["allow", 1000]);
  assert.equal(await problemOf(showSchedule(services, LOCAL_ACTOR, "follower")), "not-found");
  assert.equal(await problemOf(apply({ mine: weekly })), "schedule-exists");
  const wrong = { ...weekly, when: { cron: "0 6 * * mon" } } as unknown as typeof weekly;
  assert.equal(await problemOf(apply({ wrong })), "invalid-request");
  assert.equal((await showSchedule(services, LOCAL_ACTOR, "mine")).origin, "api");
  const origin = { origin: "api", guardsTargets: true, by: "test" } as const;
  // It would be refused at the next start.
  assert.equal(await problemOf(changeSchedule(services, LOCAL_ACTOR, "weekly", weekly, origin)), "in-use");
});
