import type { ItemRef } from "../../../model/item.ts";
import type { JobSpec } from "../../../model/job.ts";
import { versionIn } from "../../../model/job-version.ts";
import type { SettledLine } from "../../../ports/ledger-rebuild.ts";
import type { Database } from "../database.ts";
import { EVERYBODY, type FreshRow, goodEntry, saveEntry } from "../fresh-entry.ts";
import { endOf } from "./catalog.ts";

/** What an item left for later jobs: good answers only, the latest of each key. */
export const keepFresh = (db: Database, spec: JobSpec, { queue, seq }: ItemRef, line: SettledLine): void => {
  const { fresh, key, scraper, revision, outcome } = line;
  if (!fresh || outcome.state === "failed" || outcome.state === "waiting") return;
  const fetchedAt = endOf(line);
  const row: FreshRow = {
    key,
    scraper: spec.scrapers[scraper]?.name ?? spec.scraper,
    owner: spec.client,
    version: versionIn(spec, revision, scraper) ?? spec.version,
    job: spec.id,
    queue,
    seq,
    fetched_at: fetchedAt,
    fresh_until: fetchedAt + fresh.freshMs,
    outcome: fresh.outcome,
    etag: fresh.etag ?? null,
    last_modified: fresh.lastModified ?? null,
    url: fresh.url ?? null,
    digest: fresh.digest ?? null,
  };
  const keep = (entry: FreshRow): void => {
    if ((goodEntry(db, entry)?.fetched_at ?? -Infinity) < fetchedAt) saveEntry(db, entry, false);
  };
  keep(row);
  if (fresh.sharedMs !== undefined)
    keep({ ...row, owner: EVERYBODY, fresh_until: fetchedAt + fresh.sharedMs });
};
