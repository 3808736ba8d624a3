import assert from "node:assert/strict";
import type { EventType } from "../../ports/event-log.ts";
import { test } from "node:test";
import type { AlertRules } from "../../domain/alert-rules.ts";
import type { Channel, ChannelMessage } from "../../ports/channel.ts";
import { DONE, failed, SimWorker } from "../../ports/ledger-suite/sim-worker.ts";
import { stepped, NotifyKit } from "../testing/notify-kit.ts";
import { runAlerts } from "./alerts.ts";

const RULES: Partial<AlertRules> = {
  failureShare: { over: 0.2, last: 40 },
  completeness: { drop: 0.2, last: 40 },
};

/** A channel that keeps what it is told, and refuses while it is broken. */
class Notebook implements Channel {
  readonly name: string;
  readonly messages: ChannelMessage[] = [];
  broken: Error | undefined;
  constructor(name = "ops") {
    this.name = name;
  }
  async notify(message: ChannelMessage): Promise<void> {
    if (this.broken) throw this.broken;
    this.messages.push(message);
  }
  get titles(): string[] {
    return this.messages.map(({ title }) => title);
  }
}

const start = (service: NotifyKit, channels: readonly Channel[], holder = "one") =>
  stepped((wait, signal) => runAlerts({ ...service.tools(holder), channels, wait, rules: RULES }, signal));

const LATER_MS = 31_000;

test("tripped breakers are sent in one message, not repeated, and followed by a message when they are over", async (t) => {
  const service = await NotifyKit.open(t);
  const ops = new Notebook();
  const alerts = start(service, [ops]);
  const worker = new SimWorker("w", service.ledger, service.now);
  const trip = async (job: string): Promise<void> => {
    await service.job(job, {}, 30);
    const [item] = await worker.take(1, { jobs: [job] });
    await worker.tell(item!.queue, "structure-changed", 25);
    await worker.settle([item!]);
  };
  await trip("a");
  await alerts.round();
  service.nowMs += 10_000;
  await trip("b");
  await alerts.round();
  assert.equal(ops.messages.length, 0, "more may come");
  service.nowMs += LATER_MS;
  await alerts.round();
  assert.deepEqual(ops.titles, ["Sluice: 2 alerts"]);
  assert.deepEqual(
    ops.messages[0]?.lines.map((line) => line.slice(0, line.indexOf(":"))),
    ["county, job a of team", "county, job b of team"],
  );
  for (let i = 0; i < 3; i++) {
    service.nowMs += LATER_MS;
    await alerts.round();
  }
  assert.equal(ops.messages.length, 1);
  await service.ledger.controlJob("a", "resume");
  await alerts.round();
  assert.deepEqual(ops.titles, ["Sluice: 2 alerts", "Sluice: 1 resolved"]);
  await alerts.stop();
  assert.deepEqual(service.problems, []);
});

test("a controller that takes over repeats nothing, and reports the end of earlier alerts", async (t) => {
  const service = await NotifyKit.open(t);
  const ops = new Notebook();
  const worker = new SimWorker("w", service.ledger, service.now);
  const one = start(service, [ops]);
  await service.job("a", {}, 300);
  await worker.settle(await worker.take(50), failed("blocked"));
  await one.round();
  service.nowMs += LATER_MS;
  await one.round();
  await one.stop();
  assert.deepEqual(ops.titles, ["Sluice: 1 alert"]);

  const two = start(service, [ops], "two");
  await two.rests();
  service.nowMs += LATER_MS;
  await two.round();
  assert.equal(ops.messages.length, 1);
  await worker.settle(await worker.take(100), DONE);
  await two.round();
  assert.deepEqual(ops.titles, ["Sluice: 1 alert", "Sluice: 1 resolved"]);
  assert.equal(await service.registry.readAlert("book"), undefined, "nothing is left to be said");
  await two.stop();
});

test("a channel that fails is tried again alone, and its error is reported", async (t) => {
  const service = await NotifyKit.open(t);
  const [ops, mail] = [new Notebook("ops"), new Notebook("mail")];
  mail.broken = new Error("no mail today");
  const alerts = start(service, [mail, ops]);
  const worker = new SimWorker("w", service.ledger, service.now);
  await service.job("a", {}, 300);
  await worker.settle(await worker.take(50), failed("blocked"));
  await alerts.round();
  service.nowMs += LATER_MS;
  await alerts.round();
  assert.deepEqual([ops.messages.length, mail.messages.length], [1, 0]);
  assert.deepEqual(service.problems, [mail.broken]);
  mail.broken = undefined;
  await alerts.round();
  assert.deepEqual([ops.messages.length, mail.messages.length], [1, 1]);
  await alerts.stop();
});

test("a job that started and failed between two looks causes an alert, and a message that it has ended", async (t) => {
  const service = await NotifyKit.open(t);
  const ops = new Notebook();
  const alerts = start(service, [ops]);
  await alerts.rests();
  const worker = new SimWorker("w", service.ledger, service.now);
  await service.job("short", {}, 25);
  await service.ledger.sealJob("short");
  await worker.settle(await worker.take(25), failed("navigation"));
  for (let i = 0; i < 3; i++) {
    await alerts.round();
    service.nowMs += LATER_MS;
  }
  assert.deepEqual(ops.titles, ["Sluice: 1 alert", "Sluice: 1 resolved"]);
  assert.match(
    ops.messages[0]?.lines[0] ?? "",
    /short.*100 % of the last 25 items failed, mostly navigation/,
  );
  assert.match(ops.messages[1]?.lines[0] ?? "", /has ended: 0 done, 0 absent, 25 failed/);
  await alerts.stop();
});

test("a job that ended while no controller ran causes an alert from the next one; one that ended before the first does not", async (t) => {
  const service = await NotifyKit.open(t);
  const ops = new Notebook();
  const worker = new SimWorker("w", service.ledger, service.now);
  const fail = async (job: string): Promise<void> => {
    await service.job(job, {}, 25);
    await service.ledger.sealJob(job);
    await worker.settle(await worker.take(25), failed("navigation"));
  };
  await fail("before");
  const one = start(service, [ops]);
  await one.rests();
  await one.stop();
  await fail("between");
  const two = start(service, [ops], "two");
  await two.rests();
  service.nowMs += LATER_MS;
  await two.round();
  assert.deepEqual(
    ops.messages.map(({ lines }) => lines.map((line) => line.slice(0, line.indexOf(":")))),
    [["county, job between of team"]],
  );
  await two.stop();
});

test("fewer values than in the scraper's last job is an alert, whatever order the fields were in", async (t) => {
  const service = await NotifyKit.open(t);
  const ops = new Notebook();
  const alerts = start(service, [ops]);
  await alerts.rests();
  const worker = new SimWorker("w", service.ledger, service.now);
  const run = async (id: string, fields: string[], fieldCounts: number[]): Promise<void> => {
    await service.job(id, { fields, required: fields }, 50);
    await service.ledger.sealJob(id);
    const items = await worker.take(50, { jobs: [id] });
    await worker.settle(items, DONE, { fieldCounts });
    await alerts.round();
    service.nowMs += LATER_MS;
  };
  await run("first", ["owner", "value"], [1, 0, 0, 0, 1, 0, 0, 0]);
  await run("second", ["value", "owner"], [1, 0, 0, 0, 1, 0, 0, 0]);
  await alerts.round();
  assert.equal(ops.messages.length, 0);
  await run("third", ["value", "owner"], [0, 0, 1, 0, 1, 0, 0, 0]);
  await alerts.round();
  assert.match(ops.messages[0]?.lines.join() ?? "", /job third .*value from 100 % to 0 %$/);
  await alerts.stop();
});

test("a canary that was rolled back is sent once, and has no end", async (t) => {
  const service = await NotifyKit.open(t);
  const ops = new Notebook();
  const alerts = start(service, [ops]);
  await alerts.round();
  const facts = {
    client: "local",
    scraper: "county",
    version: "v2",
    reason: "owner was bad in 5 of 5 items",
  };
  await service.ledger.events.write([{ type: "canary.rolled-back", job: "", facts }]);
  await alerts.round();
  for (let i = 0; i < 3; i++) {
    service.nowMs += LATER_MS;
    await alerts.round();
  }
  assert.deepEqual(
    ops.messages.map(({ lines }) => lines),
    [["county: canary v2 is rolled back: owner was bad in 5 of 5 items"]],
  );
  assert.match((await service.registry.readAlert("book")) ?? "", /canary v2/);
  service.nowMs += 24 * 60 * 60_000;
  await alerts.round();
  assert.equal(await service.registry.readAlert("book"), undefined);
  await alerts.stop();
  assert.deepEqual(service.problems, []);
});

test("people are told of what goes wrong in a week", async (t) => {
  const service = await NotifyKit.open(t);
  const ops = new Notebook();
  const alerts = start(service, [ops]);
  await alerts.round();
  const told: readonly (readonly [EventType, Readonly<Record<string, unknown>>, string])[] = [
    [
      "schedule.missed",
      { schedule: "weekly", at: "Monday", count: 1, reason: "no controller ran" },
      "county: schedule weekly missed its time Monday: no controller ran",
    ],
    [
      "schedule.late",
      { schedule: "weekly", lastSuccessAt: "2026-10-01" },
      "county: schedule weekly has not succeeded since 2026-10-01",
    ],
    [
      "release.late",
      { scraper: undefined, dataset: "taxes", since: "2026-11-01" },
      "taxes: the next release is late; the last one is from 2026-11-01",
    ],
    [
      "version.refused",
      { version: "v3", reasons: ["owner: 7 lost"] },
      "county: version v3 is refused: owner: 7 lost",
    ],
    [
      "drift.found",
      { findings: 2, blocking: 1, first: "owner: 9 %" },
      "county: 2 findings, 1 of them hold releases, for example owner: 9 %",
    ],
  ];
  for (const [type, facts] of told)
    await service.ledger.events.write([
      { type, job: "", facts: { client: "local", scraper: "county", ...facts } },
    ]);
  await alerts.round();
  service.nowMs += LATER_MS;
  await alerts.round();
  assert.deepEqual(
    ops.messages.flatMap(({ lines }) => lines).toSorted(),
    told.map(([, , text]) => text).toSorted(),
  );
  await alerts.stop();
  assert.deepEqual(service.problems, []);
});
