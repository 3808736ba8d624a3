import {
  type ArmCounts,
  type BadCount,
  type CanaryNews,
  canaryPrefix,
  WHOLE_ITEM,
} from "../domain/canary.ts";
import { canaryRevision, revisionOf } from "../domain/job-version.ts";
import type { JobSpec } from "../domain/job.ts";
import { FIELD_STATUSES } from "../domain/record.ts";
import type { SettledItem } from "../ports/ledger.ts";
import { type Transaction, type Want, want } from "./transaction.ts";

interface Named {
  readonly spec: JobSpec;
}

const newsName = ({ spec }: Named): string | undefined => {
  const version = spec.canary?.scrapers[0]!.version ?? spec.pastCanary?.version;
  return version === undefined ? undefined : canaryPrefix(spec.scraper, version) + spec.id;
};

export const canaryWants = (job: Named): Want[] => {
  const name = newsName(job);
  return name === undefined ? [] : [want("document", "canary", name)];
};

const NO_ITEMS: ArmCounts = { items: 0, fields: {} };

/** How items ended, by version, of one job in one batch. */
export class CanaryTally {
  #canary = NO_ITEMS;
  #control = NO_ITEMS;
  #late = 0;

  /** `counts`: in the layout of the job's counters. */
  add(spec: JobSpec, { outcome, revision = revisionOf(spec), scraper = 0 }: Ended, counts: Counts): void {
    if (revision === spec.pastCanary?.revision) this.#late++;
    if (!spec.canary) return;
    const isBad = outcome.state === "failed" || outcome.state === "absent";
    // Nothing is known about an unchanged item, and the others have not ended.
    if (!isBad && outcome.state !== "done") return;
    const fields = fieldsBad(spec, scraper, isBad ? null : counts);
    if (revision === canaryRevision(spec)) this.#canary = withItem(this.#canary, fields);
    else if (revision === revisionOf(spec)) this.#control = withItem(this.#control, fields);
  }

  write(tx: Transaction, job: Named): void {
    const name = newsName(job);
    if (name === undefined || this.#canary.items + this.#control.items + this.#late === 0) return;
    const before = tx.one("document", "canary", name);
    const news = before?.body as CanaryNews | undefined;
    const body: CanaryNews = {
      job: job.spec.id,
      canary: sum(news?.canary ?? NO_ITEMS, this.#canary),
      control: sum(news?.control ?? NO_ITEMS, this.#control),
      late: (news?.late ?? 0) + this.#late,
    };
    tx.put("document", {
      kind: "canary",
      name,
      revision: (before?.revision ?? 0) + 1,
      changedAt: tx.now,
      body,
    });
    [this.#canary, this.#control, this.#late] = [NO_ITEMS, NO_ITEMS, 0];
  }
}

type Ended = Pick<SettledItem, "outcome" | "revision" | "scraper">;
type Counts = readonly number[] | null;

/** Fields that both versions of the item's scraper have. Without counts, all are bad. */
const fieldsBad = (spec: JobSpec, scraper: number, counts: Counts): [name: string, isBad: boolean][] => {
  const own = spec.scrapers[scraper];
  const prefix = scraper === 0 ? "" : `${own?.name}.`;
  const names = (own?.fields ?? []).map((name) => prefix + name);
  const both = names.filter((name) => spec.canary!.fields.includes(name));
  const judged = both.map((name): [string, boolean] => {
    if (!counts) return [name, true];
    const at = spec.fields.indexOf(name) * FIELD_STATUSES.length;
    const of = (status: (typeof FIELD_STATUSES)[number]): number =>
      counts[at + FIELD_STATUSES.indexOf(status)] ?? 0;
    return [name, of("missing") + of("malformed") > 0];
  });
  return [...judged, [WHOLE_ITEM, !counts]];
};

const withItem = ({ items, fields }: ArmCounts, judged: readonly [string, boolean][]): ArmCounts => ({
  items: items + 1,
  fields: {
    ...fields,
    ...Object.fromEntries(
      judged.map(([name, isBad]) => {
        const [of, bad] = (Object.hasOwn(fields, name) ? fields[name] : undefined) ?? [0, 0];
        return [name, [of + 1, bad + Number(isBad)] satisfies BadCount];
      }),
    ),
  },
});

const sum = (a: ArmCounts, b: ArmCounts): ArmCounts => ({
  items: a.items + b.items,
  fields: Object.fromEntries(
    new Set([...Object.keys(a.fields), ...Object.keys(b.fields)]).values().map((name) => {
      const [one, other] = [a.fields[name] ?? [0, 0], b.fields[name] ?? [0, 0]];
      return [name, [one[0] + other[0], one[1] + other[1]] satisfies BadCount];
    }),
  ),
});
