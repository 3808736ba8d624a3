import type { ByteSink } from "./byte-sink.ts";
import type { Column, OutputRow, RecordWriter } from "./record-writer.ts";

/** How rows become text. */
export interface TextFormat {
  header(columns: readonly Column[]): string;
  rows(columns: readonly Column[], rows: readonly OutputRow[]): string;
}

/** Formats that are written line by line; memory holds one batch. */
export class TextWriter implements RecordWriter {
  readonly #sink: ByteSink;
  readonly #format: TextFormat;
  #columns: readonly Column[] = [];

  constructor(sink: ByteSink, format: TextFormat) {
    this.#sink = sink;
    this.#format = format;
  }

  async open(columns: readonly Column[]): Promise<void> {
    this.#columns = columns;
    await this.#sink.open();
    const header = this.#format.header(columns);
    if (header !== "") await this.#sink.write(header);
  }

  async write(rows: readonly OutputRow[]): Promise<void> {
    if (rows.length > 0) await this.#sink.write(this.#format.rows(this.#columns, rows));
  }

  async close(): Promise<void> {
    await this.#sink.commit();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sink.discard();
  }
}
