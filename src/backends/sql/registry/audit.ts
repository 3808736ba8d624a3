import type { AuditEntry } from "../../../domain/audit.ts";
import type { AuditQuery, StoredAudit } from "../../../ports/registry.ts";
import { all, run, type StepEngine } from "../steps.ts";

interface AuditRow {
  readonly seq: number;
  readonly at: number;
  readonly actor: string;
  readonly client: string | null;
  readonly via: AuditEntry["via"];
  readonly action: string;
  readonly target: string | null;
  readonly detail: string | null;
  readonly address: string | null;
  readonly outcome: string;
}

const KEEP_MS = 400 * 24 * 60 * 60 * 1000;
const MOST_KEPT = 200_000;
const FORGET_AT_ONCE = 100;

export const addAudit = async (db: StepEngine, entry: AuditEntry): Promise<void> =>
  await db.write("registry", function* (now) {
    yield* run(
      "INSERT INTO audit (at, actor, client, via, action, target, detail, address, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      entry.at,
      entry.actor,
      entry.client ?? null,
      entry.via,
      entry.action,
      entry.target ?? null,
      entry.detail ?? null,
      entry.from ?? null,
      entry.outcome,
    );
    yield* run(
      `DELETE FROM audit WHERE seq IN (SELECT seq FROM audit ORDER BY seq LIMIT ${FORGET_AT_ONCE})
         AND (at < ? OR seq <= (SELECT max(seq) FROM audit) - ${MOST_KEPT})`,
      now - KEEP_MS,
    );
  });

/** One text for each set of filters, so that each uses its index. */
export const listAudit = async (db: StepEngine, query: AuditQuery): Promise<StoredAudit[]> => {
  const filters: string[] = [];
  const values: (string | number)[] = [];
  const where = (filter: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    filters.push(filter);
    values.push(value);
  };
  where("actor = ?", query.actor);
  where("action = ?", query.action);
  where("at >= ?", query.sinceAt);
  where("seq < ?", query.before);
  const condition = filters.length === 0 ? "" : `WHERE ${filters.join(" AND ")}`;
  const text = `SELECT * FROM audit ${condition} ORDER BY seq DESC LIMIT ?`;
  return (await db.read(() => all<AuditRow>(text, ...values, query.limit))).map(readAudit);
};

const readAudit = (row: AuditRow): StoredAudit => ({
  id: row.seq,
  at: row.at,
  actor: row.actor,
  ...(row.client !== null && { client: row.client }),
  via: row.via,
  action: row.action,
  ...(row.target !== null && { target: row.target }),
  ...(row.detail !== null && { detail: row.detail }),
  ...(row.address !== null && { from: row.address }),
  outcome: row.outcome,
});
