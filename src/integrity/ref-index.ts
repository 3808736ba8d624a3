import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StoredRef } from "../ports/ledger-check.ts";

type Kind = StoredRef["kind"] | "note";
export type ShelvedRef = Omit<StoredRef, "kind"> & { readonly kind: Kind };

/**
 * All that items point to, by object. In a temporary file, some 200 bytes for each capture: a ledger is in the order of items, an archive in that
 * of objects, and both may be larger than memory.
 */
export class RefIndex implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "sluice-fsck-"));
  readonly #db = new DatabaseSync(join(this.#folder, "refs.db"));
  readonly #clear = (): void => rmSync(this.#folder, { recursive: true, force: true });

  constructor() {
    process.once("exit", this.#clear); // also when it was interrupted
    this.#db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384");
    this.#db.exec(
      `CREATE TABLE refs (blob TEXT NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL, digest TEXT, kind TEXT NOT NULL,
         job TEXT NOT NULL, key TEXT NOT NULL);
       CREATE INDEX by_blob ON refs (blob, start);
       CREATE TABLE seen (blob TEXT PRIMARY KEY) WITHOUT ROWID`,
    );
  }

  /** In one transaction, however many. */
  put(refs: Iterable<ShelvedRef>): void {
    const insert = this.#db.prepare("INSERT INTO refs VALUES (?, ?, ?, ?, ?, ?, ?)");
    this.#db.exec("BEGIN");
    for (const { blob, offset, length, digest, kind, job, key } of refs)
      insert.run(blob, offset, length, digest ?? null, kind, job, key);
    this.#db.exec("COMMIT");
  }

  /** What points to the object, which is there. */
  *take(blob: string): Generator<ShelvedRef> {
    this.#db.prepare("INSERT OR IGNORE INTO seen VALUES (?)").run(blob);
    for (const { start, digest, ...row } of this.#db
      .prepare("SELECT * FROM refs WHERE blob = ? ORDER BY start")
      .iterate(blob) as Iterable<
      Omit<ShelvedRef, "digest" | "offset"> & { readonly start: number; readonly digest: string | null }
    >)
      yield { ...row, offset: start, ...(digest !== null && { digest }) };
  }

  /** Objects that nobody has taken, though items point to them. */
  *missing(): Generator<{
    readonly blob: string;
    readonly job: string;
    readonly key: string;
    readonly count: number;
  }> {
    yield* this.#db
      .prepare(
        `SELECT blob, job, key, count(*) AS count FROM refs WHERE blob NOT IN (SELECT blob FROM seen) AND kind <> 'note' GROUP BY blob ORDER BY blob`,
      )
      .all() as unknown as Iterable<{ blob: string; job: string; key: string; count: number }>;
  }

  [Symbol.dispose](): void {
    this.#db.close();
    this.#clear();
    process.off("exit", this.#clear);
  }
}
