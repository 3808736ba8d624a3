import type { TextFormat } from "./text-writer.ts";

/** One JSON object a line, every column in each of them: what a row does not have is null. */
export const jsonlFormat: TextFormat = {
  header: () => "",
  rows: (columns, rows) =>
    rows
      .map((row) => {
        const entries = columns.map(({ name }) => [name, row[name] ?? null] as const);
        return `${JSON.stringify(Object.fromEntries(entries), withBigints)}\n`;
      })
      .join(""),
};

const withBigints = (_name: string, value: unknown): unknown =>
  typeof value === "bigint" ? String(value) : value;
