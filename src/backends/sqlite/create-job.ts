import type { JobSpec } from "../../model/job.ts";
import { LedgerError } from "../../ports/ledger.ts";
import type { Database } from "./database.ts";
import { writeSpec } from "./job-row.ts";
import { newKeySeed } from "./key-hash.ts";
import { writeEvent } from "./write-event.ts";

export const createJob = async (db: Database, spec: JobSpec): Promise<void> =>
  await db.write(() => {
    db.run("INSERT OR IGNORE INTO clients (name) VALUES (?)", spec.client);
    const isNew = db.run(
      `INSERT OR IGNORE INTO jobs (id, client, spec, state, created_at, field_counts, scraper, deadline_at, key_seed)
       VALUES (?, ?, ?, 'loading', ?, ?, ?, ?, ?)`,
      spec.id,
      spec.client,
      writeSpec(spec),
      db.now(),
      JSON.stringify(spec.fields.flatMap(() => [0, 0, 0, 0])),
      spec.scraper,
      spec.deadlineAt ?? null,
      newKeySeed(),
    );
    if (!isNew) throw new LedgerError("job-exists", `${spec.id}: a job of this name exists.`);
    const { number } = db.get<{ number: number }>("SELECT number FROM jobs WHERE id = ?", spec.id)!;
    for (const [name, value] of Object.entries(spec.labels ?? {}))
      db.run("INSERT INTO job_labels (name, value, job) VALUES (?, ?, ?)", name, value, number);
    writeEvent(db, "job.started", spec.id, { scraper: spec.scraper });
  });
