import { type Connection, Query } from "pg";
import { decodeText, encodeText } from "./texts.ts";

export interface Answer {
  readonly rows: unknown[][];
  readonly fields: readonly Field[];
  /** Number of changed or found rows. */
  readonly count: number;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** https://www.postgresql.org/docs/current/catalog-pg-type.html */
const BOOL = 16;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);

type Parser = (text: string) => unknown;

export const parserOf = (oid: number): Parser => {
  if (NUMBERS.has(oid)) return Number;
  return oid === BOOL ? (text) => text === "t" : decodeText;
};

/** A statement as a connection knows it. Without a name it is parsed and planned each time. */
class Statement {
  readonly name: string;
  /** What it returns, after its first response. */
  fields: readonly Field[] | undefined;
  parsers: readonly Parser[] = [];

  constructor(name: string) {
    this.name = name;
  }

  describe(fields: readonly Field[]): void {
    this.fields = fields;
    this.parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  }
}

/** The statements that are prepared on one connection, by their texts. */
export class Statements {
  readonly #hasNames: boolean;
  readonly #known = new Map<string, Statement>();
  #count = 0;

  constructor(hasNames: boolean) {
    this.#hasNames = hasNames;
  }

  get(text: string): Statement | undefined {
    return this.#known.get(text);
  }

  add(text: string): Statement {
    const statement = new Statement(this.#hasNames ? `sluice_${++this.#count}` : "");
    if (this.#hasNames) this.#known.set(text, statement);
    return statement;
  }

  /** After an error nobody knows whether it was prepared: the next time it gets another name. */
  forget(text: string): void {
    this.#known.delete(text);
  }
}

interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  statement: Statement | undefined;
  readonly rows: unknown[][];
  count: number;
}

const encode = (value: unknown): string | null => {
  if (value === null) return null;
  return typeof value === "string" ? encodeText(value) : `${value as number}`;
};

/**
 * Queries that are sent together and end with one `Sync`. `pg` itself sends one after each query: the server then responds to each
 * in a packet of its own, for which both processes wake up. An error ends the whole batch: what follows in it is not run.
 */
export class Batch extends Query {
  readonly #statements: Statements;
  readonly #sent: Sent[] = [];
  readonly #parsed: string[] = [];
  #at = 0;
  /** Called once; `pg` puts its timer around it. */
  callback: (error?: Error | null) => void;

  constructor(statements: Statements) {
    super("");
    this.#statements = statements;
    this.callback = (error) => this.#end(error);
  }

  add(text: string, values: readonly unknown[]): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#sent.push({ text, values, resolve, reject, statement: undefined, rows: [], count: 0 });
    });
  }

  override submit = (connection: Connection): null => {
    const { stream } = connection;
    stream.cork();
    for (const sent of this.#sent) {
      const { text, values } = sent;
      sent.statement = this.#statements.get(text);
      if (!sent.statement) {
        sent.statement = this.#statements.add(text);
        this.#parsed.push(text);
        connection.parse({ name: sent.statement.name, text, types: [] }, true);
      }
      connection.bind({ statement: sent.statement.name, values: values.map(encode) }, true);
      if (!sent.statement.fields) connection.describe({ type: "P", name: "" }, true);
      connection.execute(null, true);
    }
    connection.sync();
    stream.uncork();
    return null;
  };

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#sent[this.#at]!.statement!.describe(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { rows, statement } = this.#sent[this.#at]!;
    const { parsers } = statement!;
    rows.push(fields.map((text, i) => (text === null ? null : parsers[i]!(text))));
  }

  /** `text`: as `INSERT 0 5` or `SELECT 3`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const sent = this.#sent[this.#at++]!;
    if (!sent.statement!.fields) sent.statement!.describe([]);
    sent.count = Number(text.slice(text.lastIndexOf(" ") + 1)) || 0;
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  handleError(error: Error): void {
    this.callback(error);
  }

  #end(error: Error | null | undefined): void {
    if (error) for (const text of this.#parsed) this.#statements.forget(text);
    for (const { rows, statement, count, resolve, reject } of this.#sent)
      if (error) reject(error);
      else resolve({ rows, fields: statement!.fields!, count });
  }
}
