import { Counter, type Registry as Register } from "prom-client";
import { MISS_REASONS, SKIP_REASONS } from "../../domain/schedule.ts";
import { readPage } from "../../pipeline/notify.ts";
import type { EventLog, EventType, LedgerEvent } from "../../ports/event-log.ts";

interface Figure {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** The label's value by the type of the event. */
  readonly types: Readonly<Partial<Record<EventType, string>>>;
}

const FIGURES: readonly Figure[] = [
  {
    name: "sluice_version_decisions_total",
    help: "Versions of scrapers that were activated, or refused by the gate.",
    label: "result",
    types: { "version.activated": "activated", "version.refused": "refused" },
  },
  {
    name: "sluice_canary_decisions_total",
    help: "Canaries that were promoted, rolled back or left for a person to decide.",
    label: "result",
    types: {
      "canary.promoted": "promoted",
      "canary.rolled-back": "rolled-back",
      "canary.undecided": "undecided",
    },
  },
  {
    name: "sluice_release_decisions_total",
    help: "Releases that were published or held by their audit, and times that one was late.",
    label: "result",
    types: { "release.published": "published", "release.held": "held", "release.late": "late" },
  },
  {
    name: "sluice_drift_total",
    help: "Runs that differ from earlier ones.",
    label: "result",
    types: { "drift.found": "found" },
  },
];

const REASONS = { "schedule.skipped": SKIP_REASONS, "schedule.missed": MISS_REASONS } as const;
const RESULTS = { "schedule.skipped": "skipped", "schedule.missed": "missed" } as const;

const PAGE = 500;

/**
 * Counts events since the oldest that was stored when this process first looked. A counter may begin again when a process does, so nothing has to be
 * remembered for it.
 */
export class EventTotals {
  readonly #log: Pick<EventLog, "read" | "last">;
  readonly #counters: readonly { readonly counter: Counter; readonly figure: Figure }[];
  readonly #unfired: Counter;
  readonly #types: readonly EventType[];
  #at = 0;

  constructor(log: Pick<EventLog, "read" | "last">, register: Register) {
    this.#log = log;
    const registers = [register];
    this.#counters = FIGURES.map((figure) => {
      const { name, help, label, types } = figure;
      const counter = new Counter({ name, help, labelNames: [label], registers });
      for (const value of Object.values(types)) counter.inc({ [label]: value }, 0);
      return { counter, figure };
    });
    this.#unfired = new Counter({
      name: "sluice_schedule_times_unfired_total",
      help: "Times of schedules that did not fire, by the reason.",
      labelNames: ["result", "reason"],
      registers,
    });
    for (const [type, result] of Object.entries(RESULTS))
      for (const reason of Object.keys(REASONS[type as keyof typeof REASONS]))
        this.#unfired.inc({ result, reason }, 0);
    this.#types = [...FIGURES, { types: RESULTS }].flatMap(({ types }) => Object.keys(types) as EventType[]);
  }

  async look(): Promise<void> {
    for (;;) {
      const page = await readPage(this.#log, { after: this.#at, types: this.#types, limit: PAGE });
      for (const event of page.events) this.#count(event);
      this.#at = page.upTo;
      if (!page.isFull) return;
    }
  }

  #count({ type, facts }: LedgerEvent): void {
    for (const { counter, figure } of this.#counters) {
      const value = figure.types[type];
      if (value !== undefined) counter.inc({ [figure.label]: value });
    }
    if (type !== "schedule.skipped" && type !== "schedule.missed") return;
    const [reason] = Object.entries(REASONS[type]).find(([, text]) => text === facts["reason"]) ?? ["other"];
    const count = typeof facts["count"] === "number" ? facts["count"] : 1;
    this.#unfired.inc({ result: RESULTS[type], reason }, count);
  }
}
