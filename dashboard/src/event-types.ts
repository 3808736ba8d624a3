import type { NewWebhook } from "../../src/client.ts";

type EventType = NonNullable<NewWebhook["events"]>[number];

/** Every type of event: the compiler refuses this file if one is missing. */
const ALL: Readonly<Record<EventType, true>> = {
  "job.started": true,
  "job.progress": true,
  "job.paused": true,
  "job.resumed": true,
  "job.completed": true,
  "job.cancelled": true,
  "item.failed": true,
  "batch.completed": true,
  "lane.held": true,
  "lane.released": true,
  "lane.tier": true,
  "proxy.down": true,
  "version.activated": true,
  "version.refused": true,
  "canary.rolled-back": true,
  "canary.promoted": true,
  "canary.undecided": true,
  "drift.found": true,
  "schedule.fired": true,
  "schedule.skipped": true,
  "schedule.missed": true,
  "schedule.completed": true,
  "schedule.failed": true,
  "schedule.late": true,
  "release.published": true,
  "release.held": true,
  "release.late": true,
  "ledger.stepped-back": true,
};

export const EVENT_TYPES = Object.keys(ALL) as EventType[];
