import { Client, type ClientConfig } from "pg";
import type { Value } from "../sql/tables.ts";
import { type Answer, Batch, parserOf, Statements } from "./batch.ts";

export interface PgConnection {
  /**
   * Queries that are sent without waiting for each other take one round trip together, and end with the first error. Without
   * values, the text may have several statements, and is sent separately.
   */
  query(text: string, values?: readonly unknown[]): Promise<Answer>;
}

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

/** One connection. Without names, statements are planned each time; poolers that do not support named statements need this. */
export class Connection implements PgConnection {
  readonly #client: Client;
  readonly #statements: Statements;
  #batch: Batch | undefined;
  #lost: Error | undefined;

  private constructor(client: Client, hasNames: boolean) {
    this.#client = client;
    this.#statements = new Statements(hasNames);
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

  async query(text: string, values?: readonly unknown[]): Promise<Answer> {
    if (values) {
      if (!this.#batch) {
        this.#batch = new Batch(this.#statements);
        queueMicrotask(() => this.#send());
      }
      return await this.#batch.add(text, values);
    }
    this.#send();
    const result = await this.#client.query<unknown[]>({ text, rowMode: "array" });
    // Several statements in one text return several results.
    const last = Array.isArray(result) ? (result.at(-1) as typeof result) : result;
    return { rows: last.rows, fields: last.fields, count: last.rowCount ?? 0 };
  }

  #send(): void {
    const batch = this.#batch;
    this.#batch = undefined;
    if (batch) this.#client.query(batch);
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("closed");
    await this.#client.end().catch(() => undefined);
  }
}
