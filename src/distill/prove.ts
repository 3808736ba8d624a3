import type { CompiledScraper } from "../scrapers/compiled-scraper.ts";
import { differingField, type RecordFields } from "../domain/same-records.ts";
import type { Run } from "./run.ts";
import type { DistillSession, RanItem } from "./session.ts";
import { DistillError } from "./settle-chain.ts";

interface ProofOptions {
  readonly session: DistillSession;
  /** The scraper that uses a browser, and the one that was written. */
  readonly ready: CompiledScraper;
  readonly written: CompiledScraper;
  readonly inputs: readonly Run["input"][];
  /** Files that only the browser keeps. */
  readonly lostFiles: readonly string[];
  readonly onProgress: (text: string) => void;
}

/** Absent inputs that a proof should have. */
const FEW_ABSENT = 2;
const TOLD_EVERY = 10;

/** Runs both scrapers for the same inputs. Throws `DistillError` with the field and the input at the first difference. */
export const prove = async ({
  session,
  ready,
  written,
  inputs,
  lostFiles,
  onProgress,
}: ProofOptions): Promise<Proof> => {
  const counted = (where: string): (() => void) => {
    let count = 0;
    return () => {
      if (++count % TOLD_EVERY === 0) onProgress(`  ${count} of ${inputs.length} ${where}`);
    };
  };
  onProgress(`Proof: ${inputs.length} inputs in the browser and over HTTP`);
  const browser = await session.run(ready, inputs, { onEnd: counted("in the browser") });
  // Plain requests only: otherwise the written scraper would use the browser where they differ.
  const { check: _check, ...plain } = written;
  const http = await session.run(plain, inputs, { onEnd: counted("over HTTP") });
  const proof = compareRuns(browser, http, { required: ready.extraction?.required ?? [], lostFiles });
  const { differences, skipped, absent } = proof;
  if (skipped > 0) onProgress(`  ${skipped} failed in the browser and were not compared`);
  if (absent < FEW_ABSENT) onProgress(`  only ${absent} was absent: name more with --absent`);
  const [first] = differences;
  if (first)
    throw new DistillError(
      `${differences.length} of ${proof.inputs} inputs differ. ${differenceText(first)}`,
    );
  return proof;
};

const filesOf = ({ files }: RanItem): string =>
  files
    .map(({ name }) => name)
    .toSorted()
    .join(", ");

/** One input for which the written scraper and the browser differ. */
export interface Difference {
  readonly input: Run["input"];
  readonly field?: string;
  readonly browser: unknown;
  readonly http: unknown;
}

export interface Proof {
  readonly inputs: number;
  readonly absent: number;
  readonly fields: number;
  /** Inputs that failed in the browser: nothing was compared. */
  readonly skipped: number;
  readonly differences: readonly Difference[];
}

/** Compares the results of the browser and of the written scraper for the same inputs, field by field. */
export const compareRuns = (
  browser: readonly RanItem[],
  http: readonly RanItem[],
  { required, lostFiles }: { readonly required: readonly string[]; readonly lostFiles: readonly string[] },
): Proof => {
  const differences: Difference[] = [];
  let [absent, fields, skipped] = [0, 0, 0];
  for (const [at, wanted] of browser.entries()) {
    const got = http[at]!;
    if (wanted.failure) skipped++;
    else {
      if (wanted.records === undefined) absent++;
      fields += (wanted.records ?? []).reduce((sum, record) => sum + Object.keys(record).length, 0);
      const comparable = { ...wanted, files: wanted.files.filter(({ name }) => !lostFiles.includes(name)) };
      const difference = differenceOf(comparable, got, required);
      if (difference) differences.push(difference);
    }
  }
  return { inputs: browser.length - skipped, absent, fields, skipped, differences };
};

const differenceOf = (wanted: RanItem, got: RanItem, required: readonly string[]): Difference | undefined => {
  const { input } = wanted;
  const [before, after] = [endOf(wanted), endOf(got)];
  if (before !== after) return { input, browser: before, http: after };
  if (filesOf(wanted) !== filesOf(got))
    return { input, browser: `files ${filesOf(wanted)}`, http: `files ${filesOf(got)}` };
  for (const [at, record] of (wanted.records ?? []).entries()) {
    const other: RecordFields = got.records?.[at] ?? {};
    const field = differingField(record, other, required);
    if (field !== undefined)
      return { input, field, browser: record[field] ?? null, http: other[field] ?? null };
  }
  return undefined;
};

const endOf = ({ records, failure }: RanItem): string =>
  failure
    ? `${failure.kind}: ${failure.detail}`
    : records === undefined
      ? "absent"
      : `${records.length} record${records.length === 1 ? "" : "s"}`;

/** `field \`owner\` of {"parcel":"1"} is "A" in the browser and "B" over HTTP` */
export const differenceText = ({ input, field, browser, http }: Difference): string => {
  const value = (one: unknown): string =>
    typeof one === "string" ? one : JSON.stringify((one as { value?: unknown } | null)?.value ?? null);
  return field === undefined
    ? `${JSON.stringify(input)} ends as ${value(browser)} in the browser and as ${value(http)} over HTTP`
    : `field \`${field}\` of ${JSON.stringify(input)} is ${value(browser)} in the browser and ${value(http)} over HTTP`;
};
