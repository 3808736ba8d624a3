/** Results of tests, gathered under the names of the suites that they are in, and shown as a table. */

interface Leaf {
  readonly name: string;
  readonly isGood: boolean;
  /** Why it did not run. */
  readonly skip?: string;
}

export interface Cell {
  readonly passed: number;
  readonly failed: readonly string[];
  readonly skipped: readonly Leaf[];
}

/** What is used of the events of `node:test`. */
interface TestResult {
  readonly name: string;
  readonly nesting: number;
  readonly skip?: string | boolean | undefined;
  readonly details: { readonly type?: string | undefined };
}

/** A suite's result comes after those of its tests. */
export class LeafResults {
  /** By file and nesting: what has ended there since the suite around it began. */
  readonly #open = new Map<string, Leaf[][]>();
  readonly #named = new Map<string, Leaf[]>();

  /** `path`: of the test file that was run. A test of a contract suite is defined elsewhere. */
  add(path: string, isGood: boolean, { name, nesting, skip, details }: TestResult): void {
    const open = this.#open.get(path) ?? [];
    this.#open.set(path, open);
    const inside = open[nesting + 1] ?? [];
    open[nesting + 1] = [];
    const own: Leaf = {
      name,
      isGood,
      ...(skip !== undefined &&
        skip !== false && { skip: typeof skip === "string" ? skip : "no reason given" }),
    };
    const leaves = details.type === "suite" && inside.length > 0 && own.skip === undefined ? inside : [own];
    (open[nesting] ??= []).push(...leaves);
    this.#named.set(`${path} ${name}`, [...(this.#named.get(`${path} ${name}`) ?? []), ...leaves]);
  }

  /** Of a suite or test of a file, or of all of them. If all of a file was skipped, so was each suite. */
  of(file: string, name?: string): readonly Leaf[] {
    const all = this.#open.get(file)?.[0] ?? [];
    if (name === undefined) return all;
    const named = this.#named.get(`${file} ${name}`);
    return named ?? all.filter(({ skip }) => skip !== undefined);
  }
}

export const summed = (leaves: readonly Leaf[]): Cell => ({
  passed: leaves.filter(({ isGood, skip }) => isGood && skip === undefined).length,
  failed: leaves.filter(({ isGood }) => !isGood).map(({ name }) => name),
  skipped: leaves.filter(({ skip }) => skip !== undefined),
});

const cellText = ({ passed, failed, skipped }: Cell): string => {
  if (failed.length > 0) return `${failed.length} FAILED`;
  if (passed + skipped.length === 0) return "DID NOT RUN";
  if (passed === 0) return "skipped";
  return `ok ${passed}${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`;
};

/** A row for each law, a column for each storage; below it what failed, and the reason for each skip. `isGood`: everything ran, and held. */
export const lawTable = (
  columns: readonly string[],
  rows: ReadonlyMap<string, readonly Cell[]>,
): { readonly text: string; readonly isGood: boolean } => {
  const shown = [["law", ...columns], ...[...rows].map(([law, cells]) => [law, ...cells.map(cellText)])];
  const widths = columns.concat("").map((_, at) => Math.max(...shown.map((row) => row[at]!.length)));
  const lines = shown.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at]!))
      .join("  ")
      .trimEnd(),
  );
  const cells = [...rows.values()].flat();
  const failed = new Set(cells.flatMap((cell) => cell.failed));
  const skipped = new Set(cells.flatMap((cell) => cell.skipped.map(({ name, skip }) => `${name}: ${skip}`)));
  return {
    text: [
      ...lines,
      ...(failed.size > 0 ? ["", "Failed:", ...[...failed].map((name) => `  ${name}`)] : []),
      ...(skipped.size > 0 ? ["", "Skipped:", ...[...skipped].map((reason) => `  ${reason}`)] : []),
    ].join("\n"),
    isGood: cells.every((cell) => cell.failed.length === 0 && cell.passed + cell.skipped.length > 0),
  };
};
