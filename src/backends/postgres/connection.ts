import { Client, type ClientConfig } from "pg";
import type { Value } from "../sql/tables.ts";
import { decodeText, encodeText } from "./texts.ts";

export interface Answer {
  readonly rows: unknown[][];
  readonly fields: readonly string[];
  /** Number of changed or found rows. */
  readonly count: number;
}

/** Queries on a connection. Queries that are sent without waiting for each other take one round trip together. */
export interface PgConnection {
  query(text: string, values?: readonly unknown[]): Promise<Answer>;
}

export const encodeValue = (value: unknown): unknown =>
  typeof value === "string" ? encodeText(value) : value;

/** A list of values in PostgreSQL's array syntax. It is encoded as a whole, like other texts. */
export const arrayOf = (values: readonly Value[]): string => {
  let text = "{";
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (i > 0) text += ",";
    if (value === null) text += "NULL";
    else if (typeof value === "number") text += value;
    else text += `"${value.includes('"') || value.includes("\\") ? value.replace(/["\\]/g, "\\$&") : value}"`;
  }
  return `${text}}`;
};

/** https://www.postgresql.org/docs/current/catalog-pg-type.html */
const BOOL = 16;
const NUMBERS: ReadonlySet<number> = new Set([20, 21, 23, 26, 700, 701, 1700]);

const parserOf = (oid: number): ((text: string) => unknown) => {
  if (NUMBERS.has(oid)) return Number;
  return oid === BOOL ? (text) => text === "t" : decodeText;
};

const names = new Map<string, string>();

/** Statements have the same names in all connections of a process. */
const nameOf = (text: string): string => {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `sluice_${names.size + 1}`));
  return name;
};

/** One connection. Without names, statements are planned each time; poolers that do not support named statements need this. */
export class Connection implements PgConnection {
  readonly #client: Client;
  readonly #hasNames: boolean;
  #lost: Error | undefined;

  private constructor(client: Client, hasNames: boolean) {
    this.#client = client;
    this.#hasNames = hasNames;
    client.on("error", (error) => (this.#lost ??= error));
    client.on("end", () => (this.#lost ??= new Error("Connection terminated")));
  }

  static async open(config: ClientConfig, hasNames: boolean): Promise<Connection> {
    const client = new Client({ ...config, pipeline: true, types: { getTypeParser: parserOf as never } });
    const connection = new Connection(client, hasNames);
    await client.connect();
    return connection;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  /** Queries that are sent without waiting for each other leave in one write. */
  #cork(): void {
    const { stream } = this.#client.connection;
    if (stream.writableCorked > 0) return;
    stream.cork();
    queueMicrotask(() => stream.uncork());
  }

  async query(text: string, values?: readonly unknown[]): Promise<Answer> {
    this.#cork();
    const result = await this.#client.query<unknown[]>({
      text,
      rowMode: "array",
      ...(values && { values: values.map(encodeValue) }),
      ...(values && this.#hasNames && { name: nameOf(text) }),
    });
    // Several statements in one text return several results.
    const last = Array.isArray(result) ? (result.at(-1) as typeof result) : result;
    return {
      rows: last.rows,
      fields: last.fields.map(({ name }) => name),
      count: last.rowCount ?? 0,
    };
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("closed");
    await this.#client.end().catch(() => undefined);
  }
}
