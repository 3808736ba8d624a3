import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { LedgerError } from "../../ports/ledger.ts";
import { rowSum, type Value } from "../sql/tables.ts";

/**
 * The tables of one part of the file. Migrations run in order. Never change one; add a new one: the file stores the fingerprint
 * of each migration that has run.
 */
export interface Schema {
  readonly part: "ledger" | "registry";
  readonly migrations: readonly string[];
  /** The result of the first migrations, `new-PART-NUMBER.sql`: a new file starts with it, which takes a twentieth of the time. */
  readonly start?: { readonly version: number; readonly sql: string };
}

const MIGRATIONS = new URL("./migrations/", import.meta.url);

// Fingerprints are computed with the line endings of the repository, however the files were checked out.
const textOf = (name: string): string =>
  readFileSync(new URL(name, MIGRATIONS), "utf8").replaceAll("\r\n", "\n");

/** Their names begin with the part, and sort in order. */
const schemaOf = (part: Schema["part"]): Schema => {
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith(".sql"));
  const start = names.find((name) => name.startsWith(`new-${part}-`));
  return {
    part,
    migrations: names
      .filter((name) => name.startsWith(part))
      .toSorted()
      .map(textOf),
    ...(start !== undefined && { start: { version: Number(/\d+/.exec(start)), sql: textOf(start) } }),
  };
};

export const LEDGER_SCHEMA = schemaOf("ledger");
export const REGISTRY_SCHEMA = schemaOf("registry");

/**
 * The checksum of a row, for SQL that copies or changes rows. Integers and reals of the same value have the same checksum, since
 * JavaScript writes them in the same way.
 */
export const addRowSum = (db: DatabaseSync): void => {
  const options = { deterministic: true, varargs: true, useBigIntArguments: true };
  db.function("row_sum", options, (...values: SQLOutputValue[]) => rowSum(values as readonly Value[]));
};

export const printOf = (sql: string): string => createHash("sha256").update(sql).digest("hex").slice(0, 16);

/** Call this with the write lock held: another process may be doing the same. */
export const migrate = (db: DatabaseSync, file: string, schema: Schema): void => {
  const { part, migrations, start } = schema;
  addRowSum(db);
  db.exec(
    "CREATE TABLE IF NOT EXISTS schema_migrations (part TEXT, version INTEGER, fingerprint TEXT, PRIMARY KEY (part, version)) WITHOUT ROWID",
  );
  const stored = (
    db
      .prepare("SELECT fingerprint FROM schema_migrations WHERE part = ? ORDER BY version")
      .all(part) as unknown as { fingerprint: string }[]
  ).map(({ fingerprint }) => fingerprint);
  const version = Math.max(stored.length, versionOf(db, part));
  if (version > migrations.length)
    throw new LedgerError(
      "newer-version",
      `${file}: written by a newer Sluice (${part} version ${version}, this one knows ${migrations.length}). ` +
        `Update Sluice, or choose another folder with --data.`,
    );
  const prints = migrations.map(printOf);
  const difference =
    stored.length > 0
      ? stored.findIndex((print, i) => print !== prints[i])
      : differingTable(db, migrations.slice(0, version));
  if (difference !== -1)
    throw new LedgerError(
      "other-version",
      `${file}: written by an unreleased version of Sluice whose tables differ from those of any released one ` +
        `(${part} version ${version}, ${typeof difference === "number" ? `migration ${difference + 1}` : difference}). ` +
        `It cannot be upgraded: export its jobs with the version that wrote it, or choose another folder with --data.`,
    );
  if (version === 0 && start) db.exec(start.sql);
  for (const sql of migrations.slice(version || start?.version)) db.exec(sql);
  const keep = db.prepare(
    "INSERT OR IGNORE INTO schema_migrations (part, version, fingerprint) VALUES (?, ?, ?)",
  );
  for (const [i, print] of prints.entries()) if (i >= stored.length) keep.run(part, i + 1, print);
  // Versions without fingerprints read this, and must not treat this file as their own.
  if (part === "ledger") db.exec(`PRAGMA user_version = ${migrations.length}`);
};

/** How files from before fingerprints record their migrations. */
const versionOf = (db: DatabaseSync, part: Schema["part"]): number => {
  if (part === "ledger") return Number(db.prepare("PRAGMA user_version").get()!["user_version"]);
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'registry_version'").get();
  return hasTable ? Number(db.prepare("SELECT version FROM registry_version").get()?.["version"] ?? 0) : 0;
};

const plain = (sql: unknown): string => String(sql).replace(/\s+/g, " ").trim();

/** Migrations were changed before the first release: the tables of a file show whether it had an earlier form. */
const differingTable = (db: DatabaseSync, migrations: readonly string[]): string | -1 => {
  if (migrations.length === 0) return -1;
  using expected = new DatabaseSync(":memory:");
  addRowSum(expected);
  for (const sql of migrations) expected.exec(sql);
  const find = db.prepare("SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?");
  for (const row of expected
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .all()) {
    const own = find.get(row["type"]!, row["name"]!);
    if (plain(own?.["sql"]) !== plain(row["sql"])) return `${String(row["type"])} ${String(row["name"])}`;
  }
  return -1;
};
