import { writeSpec } from "../../model/spec-text.ts";
import type { JobSpec } from "../../model/job.ts";
import { LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { newKeySeed } from "./key-hash.ts";
import { writeEvent } from "./write-event.ts";

export const createJob = async (db: Database, spec: JobSpec): Promise<void> =>
  await db.write(() => {
    db.run("INSERT OR IGNORE INTO clients (name) VALUES (?)", spec.client);
    const isTaken = db.get(
      "SELECT 1 FROM jobs WHERE id = ?1 UNION SELECT 1 FROM removals WHERE id = ?1",
      spec.id,
    );
    if (isTaken) throw new LedgerError("job-exists", `${spec.id}: a job of this name exists, or did.`);
    const { number } = db.get<{ number: number }>(
      `SELECT 1 + max(coalesce((SELECT max(number) FROM jobs), 0), coalesce((SELECT max(number) FROM removals), 0)) AS number`,
    )!;
    db.run(
      `INSERT INTO jobs (number, id, client, spec, state, created_at, field_counts, scraper, deadline_at, key_seed)
       VALUES (?, ?, ?, ?, 'loading', ?, ?, ?, ?, ?)`,
      number,
      spec.id,
      spec.client,
      writeSpec(spec),
      db.now(),
      JSON.stringify(spec.fields.flatMap(() => [0, 0, 0, 0])),
      spec.scraper,
      spec.deadlineAt ?? null,
      newKeySeed(),
    );
    for (const [name, value] of Object.entries(spec.labels ?? {}))
      db.run("INSERT INTO job_labels (name, value, job) VALUES (?, ?, ?)", name, value, number);
    writeEvent(db, "job.started", spec.id, { scraper: spec.scraper });
  });
