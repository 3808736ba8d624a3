import { discover } from "../pipeline/extract.ts";
import type { Judged } from "../pipeline/judge.ts";
import { type LaneOf, planFound } from "../pipeline/plan.ts";
import type { KeptPage } from "../domain/capture.ts";
import type { Failure } from "../domain/failure.ts";
import { FIELD_STATUSES, type JudgedRecord } from "../domain/record.ts";
import type { AmendedItem } from "../ports/ledger.ts";
import type { JobScraper } from "../scrapers/load-pinned.ts";

/** What another version of a scraper makes of an item; its records are so many bytes of the chunk's. */
export type ItemAmendment = Omit<AmendedItem, "queue" | "seq" | "records"> & { readonly bytes: number };

/** All of a job's scrapers, and how lanes are named: what is found on stored pages may be new items. */
export interface AmendTools {
  readonly scrapers: readonly JobScraper[];
  readonly laneOf: LaneOf;
}

export interface ReadItem {
  readonly key: string;
  readonly input: unknown;
  readonly scraper: number;
  readonly was: "done" | "failed" | "skipped";
  /** Its records so far. */
  readonly before: readonly JudgedRecord[];
  /** Undefined where the stored pages cannot be opened. */
  readonly pages: readonly KeptPage[] | undefined;
  readonly lines: readonly string[];
  readonly judged: Judged | undefined;
  readonly failure: Failure | undefined;
}

/**
 * Undefined where the item stays as it is: its pages cannot be opened, or this version reads less of them than the one before did. A site may have
 * changed half-way, and the version that reads its new pages need not read the old ones.
 */
export const amendItem = ({ scrapers, laneOf }: AmendTools, item: ReadItem): ItemAmendment | undefined => {
  const { key, input, was, before, pages, lines, judged } = item;
  const { ready, fieldsAt } = scrapers[item.scraper]!;
  if (pages === undefined || (!ready.extraction && before.length > 0)) return undefined;
  const found = item.failure ? undefined : discover(ready.emits, pages, input);
  const failure = item.failure ?? (found && "failure" in found ? found.failure : undefined);
  const quality = judged?.quality ?? "complete";
  const wasComplete = before.every((record) => record.quality === "complete");
  if (was !== "failed" && (failure || (quality === "partial" && wasComplete))) return undefined;
  const names = ready.extraction?.fieldNames ?? [];
  // What was skipped is not counted.
  const less = was === "done" ? countsOf(before, names) : [];
  const more = failure || was === "skipped" ? [] : (judged?.fieldCounts ?? []);
  const fieldCounts = names.flatMap((_, at) =>
    FIELD_STATUSES.map((__, status) => {
      const place = at * FIELD_STATUSES.length + status;
      return (more[place] ?? 0) - (less[place] ?? 0);
    }),
  );
  return {
    outcome: failure
      ? { state: "failed", failure }
      : { state: was === "skipped" ? "skipped" : "done", quality },
    bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0),
    fieldCounts: [...Array.from({ length: fieldsAt * FIELD_STATUSES.length }, () => 0), ...fieldCounts],
    ...planFound(found && "found" in found ? found.found : [], scrapers, key, laneOf),
  };
};

const countsOf = (records: readonly JudgedRecord[], names: readonly string[]): number[] =>
  names.flatMap((name) =>
    FIELD_STATUSES.map(
      (status) =>
        records.filter(({ fields }) => Object.hasOwn(fields, name) && fields[name]!.status === status).length,
    ),
  );
