import { isStorageError } from "../archive/stored-bytes.ts";
import { openScratch } from "../archive/scratch-database.ts";
import type { Check, DatasetSpec, OwnAudit, Release } from "../domain/release.ts";
import type { Blobs } from "../ports/blobs.ts";
import { compareKeys, type ReleaseRow, releaseRows } from "./read-release.ts";

interface AuditTools {
  readonly blobs: Blobs;
  /** The current release, which rows may be gone from. */
  readonly current: Release | undefined;
  /** The current release of another dataset; undefined if it has none. */
  readonly currentOf: (dataset: string) => Promise<Release | undefined>;
  readonly ownAudit?: OwnAudit | undefined;
}

/** Checks that need nothing but the release's counts. */
export const auditCounts = ({ rows, sources }: Release, { rules = {} }: DatasetSpec): Check[] => {
  const { minRows = 1, completeness = {} } = rules;
  return [
    check("rows", rows >= minRows, `${rows} rows, at least ${minRows} required`),
    ...Object.entries(completeness).map(([field, least]) => {
      const counts = sources.map((source) => source.fields[field]).find((one) => one !== undefined);
      const total = counts ? Object.values(counts).reduce((sum, count) => sum + count, 0) : 0;
      const share = counts && total > 0 ? counts.present / total : 0;
      return check(
        `completeness of ${field}`,
        share >= least,
        counts
          ? `${percent(share)} of the rows have a value, at least ${percent(least)} required`
          : "the dataset has no such field",
      );
    }),
  ];
};

/** Checks that read the rows. Each rule reads them once more, so that none needs memory for another. */
export const auditRows = async (
  release: Release,
  { rules = {} }: DatasetSpec,
  tools: AuditTools,
): Promise<Check[]> => {
  const rows = (): AsyncGenerator<ReleaseRow> => releaseRows(tools.blobs, release);
  const checks: Check[] = [];
  for (const [field, range] of Object.entries(rules.ranges ?? {}))
    checks.push(await checkRange(rows(), release.rows, field, range));
  for (const fields of rules.unique ?? []) checks.push(await checkUnique(rows(), fields));
  for (const { field, dataset } of rules.references ?? []) {
    const other = await tools.currentOf(dataset);
    checks.push(
      other
        ? await checkReference(rows(), field, dataset, releaseRows(tools.blobs, other))
        : check(`${field} in ${dataset}`, false, `${dataset} has no current release`),
    );
  }
  if (rules.maxGone !== undefined && tools.current)
    checks.push(await checkGone(releaseRows(tools.blobs, tools.current), rows(), rules.maxGone));
  if (tools.ownAudit) checks.push(await runOwn(release, tools.ownAudit, rows()));
  // Whatever the rules are, the rows are read once: bytes that cannot be read are not published.
  if (checks.length === 0) for await (const _ of rows());
  return checks;
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

const check = (name: string, isGood: boolean, detail: string): Check => ({
  check: name,
  verdict: isGood ? "pass" : "fail",
  detail,
});

const EXAMPLES = 5;
const such = (keys: readonly string[]): string => (keys.length === 0 ? "" : `, such as ${keys.join(", ")}`);

const checkRange = async (
  rows: AsyncIterable<ReleaseRow>,
  total: number,
  field: string,
  { min = -Infinity, max = Infinity, share = 0 }: { min?: number; max?: number; share?: number },
): Promise<Check> => {
  const keys: string[] = [];
  let outside = 0;
  for await (const { key, values } of rows) {
    const value = values[field];
    if (typeof value !== "number" || (value >= min && value <= max)) continue;
    outside++;
    if (keys.length < EXAMPLES) keys.push(key);
  }
  return check(
    `range of ${field}`,
    outside <= share * total,
    `${outside} values outside ${min} to ${max}${such(keys)}`,
  );
};

const checkUnique = async (rows: AsyncIterable<ReleaseRow>, fields: readonly string[]): Promise<Check> => {
  using scratch = openScratch("audit", "CREATE TABLE seen (value TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN");
  const insert = scratch.db.prepare("INSERT OR IGNORE INTO seen (value) VALUES (?)");
  const keys: string[] = [];
  let twice = 0;
  for await (const { key, values } of rows) {
    const own = fields.map((name) => values[name] ?? null);
    // Rows without any of the values are not alike.
    if (own.every((value) => value === null) || insert.run(JSON.stringify(own)).changes !== 0) continue;
    twice++;
    if (keys.length < EXAMPLES) keys.push(key);
  }
  return check(`unique ${fields.join(" + ")}`, twice === 0, `${twice} rows repeat others${such(keys)}`);
};

const checkReference = async (
  rows: AsyncIterable<ReleaseRow>,
  field: string,
  dataset: string,
  others: AsyncIterable<ReleaseRow>,
): Promise<Check> => {
  using scratch = openScratch("audit", "CREATE TABLE known (key TEXT PRIMARY KEY) WITHOUT ROWID; BEGIN");
  const insert = scratch.db.prepare("INSERT INTO known (key) VALUES (?)");
  for await (const { key } of others) insert.run(key);
  const find = scratch.db.prepare("SELECT 1 FROM known WHERE key = ?");
  const keys: string[] = [];
  let lost = 0;
  for await (const { key, values } of rows) {
    const value = values[field];
    if (
      value === null ||
      value === undefined ||
      find.get(typeof value === "string" ? value : JSON.stringify(value))
    )
      continue;
    lost++;
    if (keys.length < EXAMPLES) keys.push(key);
  }
  return check(
    `${field} in ${dataset}`,
    lost === 0,
    `${lost} rows refer to no key of ${dataset}${such(keys)}`,
  );
};

const checkGone = async (
  before: AsyncGenerator<ReleaseRow>,
  rows: AsyncGenerator<ReleaseRow>,
  most: number,
): Promise<Check> => {
  let [all, gone] = [0, 0];
  let next = await rows.next();
  for await (const { key } of before) {
    all++;
    while (next.done !== true && compareKeys(next.value.key, key) < 0) next = await rows.next();
    if (next.done === true || next.value.key !== key) gone++;
  }
  await rows.return(undefined);
  const share = all === 0 ? 0 : gone / all;
  return check(
    "gone",
    share <= most,
    `${percent(share)} of the current release's keys are gone, at most ${percent(most)} allowed`,
  );
};

const runOwn = async (
  release: Release,
  audit: OwnAudit,
  rows: AsyncGenerator<ReleaseRow>,
): Promise<Check> => {
  async function* plain(): AsyncGenerator<Readonly<Record<string, unknown>>> {
    for await (const { key, values, gaps } of rows) yield { key, ...values, _gaps: gaps };
  }
  try {
    const said = await audit({ release, rows: plain() });
    const problems = said === undefined ? [] : typeof said === "string" ? [said] : said;
    return check(
      "own audit",
      problems.length === 0,
      problems.slice(0, EXAMPLES).join("; ") || "nothing wrong",
    );
  } catch (error) {
    if (isStorageError(error)) throw error;
    return check("own audit", false, `it threw: ${error instanceof Error ? error.message : String(error)}`);
  }
};
