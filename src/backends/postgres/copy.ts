import { Client, type Connection, type Submittable } from "pg";
import type { Cell, Row } from "../../ports/ledger-tables.ts";
import { decodeText, encodeText } from "./texts.ts";

/** What `pg` calls and sends during a COPY; its types do not include this. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** https://www.postgresql.org/docs/current/sql-copy.html, text format. */
const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};
const UNESCAPES = Object.fromEntries(Object.entries(ESCAPES).map(([plain, escaped]) => [escaped, plain]));

const writeCell = (cell: Cell): string => {
  if (cell === null) return "\\N";
  if (typeof cell === "number") return `${cell}`;
  const text = encodeText(cell);
  return /[\\\b\f\n\r\t\v]/.test(text) ? text.replace(/[\\\b\f\n\r\t\v]/g, (c) => ESCAPES[c]!) : text;
};

export const writeRows = (rows: readonly Row[]): string => {
  let text = "";
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) text += i === 0 ? writeCell(row[i]!) : `\t${writeCell(row[i]!)}`;
    text += "\n";
  }
  return text;
};

/** `isNumber` says which columns hold numbers. */
export const readLine = (line: string, isNumber: readonly boolean[]): Row => {
  const cells: Cell[] = line.split("\t");
  for (let i = 0; i < cells.length; i++) {
    const text = cells[i] as string;
    if (text === "\\N") cells[i] = null;
    else if (isNumber[i]) cells[i] = Number(text);
    else
      cells[i] = decodeText(
        text.includes("\\") ? text.replace(/\\[\\bfnrtv]/g, (escaped) => UNESCAPES[escaped]!) : text,
      );
  }
  return cells;
};

/** Settles when the server has responded. */
abstract class Copy implements Submittable {
  readonly ended: Promise<void>;
  readonly #settle: { resolve(): void; reject(error: Error): void };
  readonly #sql: string;

  constructor(sql: string) {
    this.#sql = sql;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended = promise;
    this.ended.catch(() => undefined);
    this.#settle = { resolve, reject };
  }

  submit(connection: Connection): void {
    connection.query(this.#sql);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#settle.resolve();
  }

  handleError(error: Error): void {
    this.#settle.reject(error);
  }
}

class CopyIn extends Copy {
  readonly #text: string;

  constructor(sql: string, text: string) {
    super(sql);
    this.#text = text;
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#text));
    connection.endCopyFrom();
  }
}

/** Maximum amount of data that may wait for its reader. */
const MOST_WAITING = 1_000_000;

class CopyOut extends Copy {
  #connection: Connection | undefined;
  #lines: string[] = [];
  #chars = 0;
  #wake: () => void = () => undefined;
  #isDropped = false;
  #isOver = false;

  override submit(connection: Connection): void {
    this.#connection = connection;
    const over = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    this.ended.then(over, over);
    super.submit(connection);
  }

  /** Called for each row, which is valid only during the call. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    if (this.#isDropped) return;
    const line = chunk.toString("utf8", 0, chunk.length - 1);
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars > MOST_WAITING) this.#connection!.stream.pause();
    this.#wake();
  }

  async *read(): AsyncGenerator<readonly string[]> {
    try {
      while (!this.#isOver || this.#lines.length > 0) {
        if (this.#lines.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
        const lines = this.#lines;
        this.#lines = [];
        this.#chars = 0;
        this.#connection?.stream.resume();
        if (lines.length > 0) yield lines;
      }
    } finally {
      this.#isDropped = true;
      this.#connection?.stream.resume();
    }
    await this.ended;
  }
}

/** Loads rows in the fastest way that PostgreSQL has. The connection must not be pipelined. */
export const copyIn = async (client: Client, sql: string, rows: readonly Row[]): Promise<void> =>
  await client.query(new CopyIn(sql, writeRows(rows))).ended;

/** Lines of `COPY … TO STDOUT`, read only as fast as they are consumed. */
export const copyOut = (client: Client, sql: string): AsyncGenerator<readonly string[]> =>
  client.query(new CopyOut(sql)).read();
