import { diffSets } from "../../reextract/diff-sets.ts";
import { EXIT } from "../exit-codes.ts";
import { findRecordSet } from "../find-record-set.ts";
import { openExistingStorage } from "../open-existing-storage.ts";
import type { LookOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { differenceJson, renderDifference } from "../render-difference.ts";
import { UsageError } from "../usage-error.ts";

export interface DiffCommandOptions extends LookOptions {
  readonly field?: readonly string[];
  readonly examples: number;
}

/** What differs between two sets of records. */
export const diffCommand = async (
  a: string,
  b: string,
  { data, json, field, examples }: DiffCommandOptions,
): Promise<number> => {
  await using storage = await openExistingStorage(data, { cacheMb: 8 });
  const old = await findRecordSet(storage.ledger, a);
  const now = await findRecordSet(storage.ledger, b);
  const { before, after, difference } = await diffSets(
    storage,
    { spec: old.view.spec, which: old.which },
    { spec: now.view.spec, which: now.which },
    { most: examples, only: field && new Set(field) },
  );
  const unknown = field?.filter((name) => !difference.fields.has(name)) ?? [];
  if (unknown.length > 0 && difference.records > 0)
    throw new UsageError(
      `--field ${unknown.join(", ")}: no record of ${before} or ${after} has such a field. Leave --field out to see them all.`,
    );
  print(
    json
      ? [JSON.stringify({ before, after, ...differenceJson(difference) })]
      : [`${before} → ${after}`, ...renderDifference(difference, { before, after }, printWidth())],
  );
  return EXIT.ok;
};
