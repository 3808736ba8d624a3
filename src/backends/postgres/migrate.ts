import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { LedgerError } from "../../ports/ledger.ts";
import type { PgPool } from "./pool.ts";

/** Migrations run in order. Never change one; add a new one: the database stores the fingerprint of each migration that has run. */
const FOLDER = new URL("./migrations/", import.meta.url);

type Part = "ledger" | "registry";

const migrationsOf = (part: Part): string[] =>
  readdirSync(FOLDER)
    .filter((name) => name.startsWith(part) && name.endsWith(".sql"))
    .toSorted()
    .map((name) => readFileSync(new URL(name, FOLDER), "utf8").replaceAll("\r\n", "\n"));

const printOf = (sql: string): string => createHash("sha256").update(sql).digest("hex").slice(0, 16);

/** Two processes may start at the same time: the one that locks the table's only row comes first. */
const START = `CREATE TABLE IF NOT EXISTS schema_migrations (part text, version bigint, fingerprint text, PRIMARY KEY (part, version))`;
const TURN = `INSERT INTO schema_migrations (part, version, fingerprint) VALUES ('turn', 0, '') ON CONFLICT (part, version) DO UPDATE SET fingerprint = ''`;

/** A row of this part means that `sluice migrate` has not finished; its fingerprint is the source. */
export const MOVING = "moving";

interface MigrateOptions {
  /** For `sluice migrate` to this database. */
  readonly isMoving?: boolean;
  /** Changes nothing: tables of another version are an error. */
  readonly isReading?: boolean;
}

export const migrate = async (
  pool: PgPool,
  { isMoving = false, isReading = false }: MigrateOptions = {},
): Promise<void> => {
  const parts: readonly Part[] = ["ledger", "registry"];
  const known = parts.map((part) => ({ part, migrations: migrationsOf(part) }));
  await pool.withConnection(async (connection) => {
    const stored = await connection
      .query(
        "SELECT part, fingerprint FROM schema_migrations WHERE part <> 'turn' ORDER BY part, version",
        [],
      )
      .then(
        ({ rows }) => rows as [Part | typeof MOVING, string][],
        // The table does not exist yet.
        () => undefined,
      );
    if (!isMoving && stored?.some(([part]) => part === MOVING))
      throw new LedgerError(
        "unavailable",
        "The database is not complete: a `sluice migrate` to it is running or was interrupted. Run `sluice migrate` again to finish it.",
      );
    const isUpToDate =
      stored &&
      known.every(({ part, migrations }) => {
        const own = stored.filter(([name]) => name === part);
        return (
          own.length === migrations.length && own.every(([, print], i) => print === printOf(migrations[i]!))
        );
      });
    if (isUpToDate) return;
    if (isReading)
      throw new LedgerError(
        "other-version",
        "The database has no ledger of this version of Sluice. Correct the URL, or let this version upgrade it first, for example with `sluice jobs ls`.",
      );
    // If two processes create it at the same time, both may find it missing: the second one fails, and runs again.
    await connection.query(START).catch(() => connection.query(START));
    await connection.query("BEGIN");
    await connection.query(TURN);
    for (const { part, migrations } of known) {
      const { rows } = await connection.query(
        "SELECT fingerprint FROM schema_migrations WHERE part = $1 ORDER BY version",
        [part],
      );
      const own = (rows as [string][]).map(([print]) => print);
      const problem = problemOf(part, own, migrations.map(printOf));
      if (problem) {
        await connection.query("ROLLBACK");
        throw problem;
      }
      for (const [i, sql] of migrations.entries()) {
        if (i < own.length) continue;
        await connection.query(sql);
        await connection.query(
          "INSERT INTO schema_migrations (part, version, fingerprint) VALUES ($1, $2, $3)",
          [part, i + 1, printOf(sql)],
        );
      }
    }
    await connection.query("COMMIT");
  });
};

const problemOf = (
  part: Part,
  own: readonly string[],
  prints: readonly string[],
): LedgerError | undefined => {
  if (own.length > prints.length)
    return new LedgerError(
      "newer-version",
      `The database was written by a newer Sluice (${part} version ${own.length}, this one knows ${prints.length}). Update Sluice, or use another database.`,
    );
  const at = own.findIndex((print, i) => print !== prints[i]);
  return at === -1
    ? undefined
    : new LedgerError(
        "other-version",
        `The database was written by an unreleased version of Sluice whose tables differ (${part} migration ${at + 1}). Use another database.`,
      );
};
