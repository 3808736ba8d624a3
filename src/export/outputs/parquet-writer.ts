import type { ByteWriter, ColumnSource, ParquetWriter as FileWriter } from "hyparquet-writer";
import type { ByteSink } from "./open-output.ts";
import { OutputError } from "./output-error.ts";
import type { Column, ColumnType, RecordWriter, TableRow } from "./text-writer.ts";

/** Readers and this writer hold one row group in memory: large enough to compress well. */
const ROW_GROUP_ROWS = 10_000;
/** Rows with long texts make smaller groups. Approximate, in UTF-16 units. */
const ROW_GROUP_LENGTH = 4 * 1024 * 1024;

const OPTIONAL = { repetition_type: "OPTIONAL" } as const;
const TYPES: Readonly<Record<ColumnType, Omit<FileWriter["schema"][number], "name">>> = {
  text: { ...OPTIONAL, type: "BYTE_ARRAY", converted_type: "UTF8" },
  number: { ...OPTIONAL, type: "DOUBLE" },
  boolean: { ...OPTIONAL, type: "BOOLEAN" },
  json: { ...OPTIONAL, type: "BYTE_ARRAY", converted_type: "JSON" },
  day: { ...OPTIONAL, type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
  instant: {
    ...OPTIONAL,
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
};

/** Apache Parquet, compressed with Snappy. Every column may be null; memory holds one row group. */
export class ParquetWriter implements RecordWriter {
  readonly #sink: ByteSink;
  readonly #path: string;
  #columns: readonly Column[] = [];
  #bytes: ByteWriter | undefined;
  #file: FileWriter | undefined;
  #group: unknown[][] = [];
  #groupRows = 0;
  #groupLength = 0;

  constructor(sink: ByteSink, path: string) {
    this.#sink = sink;
    this.#path = path;
  }

  async open(columns: readonly Column[]): Promise<void> {
    await this.#sink.open();
    // Loaded only for Parquet.
    const { ByteWriter, ParquetWriter: Writer } = await import("hyparquet-writer");
    this.#columns = columns;
    this.#group = columns.map(() => []);
    this.#bytes = new ByteWriter();
    const schema = columns.map(({ name, type = "text" }) => ({ name, ...TYPES[type] }));
    this.#file = new Writer({
      writer: this.#bytes,
      schema: [{ name: "root", num_children: columns.length }, ...schema],
    });
  }

  async write(rows: readonly TableRow[]): Promise<void> {
    for (const row of rows) {
      for (const [index, column] of this.#columns.entries()) {
        const value = this.#toValue(row, column);
        this.#groupLength += typeof value === "string" ? value.length : 8;
        this.#group[index]!.push(value);
      }
      this.#groupRows += 1;
      if (this.#groupRows >= ROW_GROUP_ROWS || this.#groupLength >= ROW_GROUP_LENGTH)
        await this.#writeGroup();
    }
  }

  async close(): Promise<void> {
    if (this.#groupRows > 0) await this.#writeGroup();
    await this.#file?.finish();
    await this.#drain();
    await this.#sink.commit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sink.discard();
  }

  async #writeGroup(): Promise<void> {
    await this.#file?.write({ columnData: this.#columnData(), rowGroupSize: ROW_GROUP_ROWS });
    this.#group = this.#columns.map(() => []);
    this.#groupRows = 0;
    this.#groupLength = 0;
    await this.#drain();
  }

  #columnData(): ColumnSource[] {
    return this.#columns.map(({ name }, index) => ({ name, data: this.#group[index]! }));
  }

  /** `offset` counts all bytes written; `index` is only the position in the buffer. */
  async #drain(): Promise<void> {
    if (this.#bytes === undefined) return;
    await this.#sink.write(this.#bytes.getBytes().slice());
    this.#bytes.index = 0;
  }

  #toValue(row: TableRow, { name, type = "text" }: Column): unknown {
    const value = row[name];
    if (value === undefined || value === null) return null;
    if (type === "day" || type === "instant") return this.#toDate(value, row.key, name, type);
    if (fits(value, type)) return value;
    if (type === "text") return value instanceof Date ? value.toISOString() : toJson(value);
    const reason = `column "${name}" has type ${type}, but the row of "${row.key}" has a ${typeof value}`;
    throw new OutputError(
      "bad-value",
      this.#path,
      reason,
      "Write .jsonl or .csv, or correct the field's type",
    );
  }

  #toDate(value: unknown, key: string, name: string, type: "day" | "instant"): Date {
    const isDay = typeof value === "string" && value.length === "YYYY-MM-DD".length;
    const date = new Date(String(value));
    if (isDay === (type === "day") && !Number.isNaN(date.getTime())) return date;
    throw new OutputError(
      "bad-value",
      this.#path,
      `column "${name}" has ${type === "day" ? "days" : "instants"}, but the row of "${key}" has ${String(value)}`,
      'Write .jsonl or .csv, or set `precision: "day"` on the field',
    );
  }
}

const fits = (value: unknown, type: ColumnType): boolean =>
  type === "json" || (type === "text" ? typeof value === "string" : typeof value === type);

const toJson = (value: unknown): string =>
  typeof value === "bigint" ? String(value) : JSON.stringify(value);
