import { setTimeout as delay } from "node:timers/promises";
import type { ClientConfig } from "pg";
import { LedgerError } from "../../ports/ledger.ts";
import { Connection, type PgConnection } from "./connection.ts";
import { parseAddress, type PgAddress } from "./address.ts";
import { isLost, isRetryable, problemOf } from "./errors.ts";

export interface PoolOptions {
  /** Maximum number of connections of this process. */
  readonly most?: number;
  /** How long to look for a primary before a call fails, and before the first call fails. */
  readonly patienceMs?: number;
  readonly firstPatienceMs?: number;
  /** There is a new connection after one was lost: the server was restarted, or it is another server. */
  readonly onBack?: () => void;
}

/** Connections to the primary of a list of hosts. */
export interface PgPool {
  /**
   * Runs work on its own connection. The work is repeated if another transaction conflicts with it, and on another connection if
   * its connection is lost: it must be safe to run twice.
   */
  withConnection<T>(work: (connection: PgConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const MOST = 6;
const FIRST_PATIENCE_MS = 3_000;
const CONNECT_MS = 5_000;
/** After this time without a response, the server counts as unreachable: a connection does not report that. */
const ANSWER_MS = 60_000;
/** Enough to notice that a connection was cut, and to try others afterwards. */
const PATIENCE_MS = 3 * ANSWER_MS;
/** Pause between two rounds over the hosts. */
const AGAIN_MS = 250;
/** Pause between two attempts after a conflict; half of it is random. */
const CONFLICT_MS = 20;

export const openPool = async (url: string, options: PoolOptions = {}): Promise<PgPool> => {
  const pool = new Pool(parseAddress(url), options);
  // A wrong name or password is reported at once, not with the first call.
  await pool.withConnection(async () => undefined, options.firstPatienceMs ?? FIRST_PATIENCE_MS);
  return pool;
};

class Pool implements PgPool {
  readonly #address: PgAddress;
  readonly #most: number;
  readonly #patienceMs: number;
  readonly #onBack: (() => void) | undefined;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #waiting: ((connection: Connection | undefined) => void)[] = [];
  #count = 0;
  #hasLost = false;
  #isClosed = false;

  constructor(address: PgAddress, { most = MOST, patienceMs = PATIENCE_MS, onBack }: PoolOptions) {
    this.#address = address;
    this.#most = most;
    this.#patienceMs = patienceMs;
    this.#onBack = onBack;
  }

  async withConnection<T>(
    work: (connection: PgConnection) => Promise<T>,
    patienceMs = this.#patienceMs,
  ): Promise<T> {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const connection = await this.#take(giveUpAt);
      let isGood = false;
      try {
        const result = await work(connection);
        isGood = true;
        return result;
      } catch (error) {
        // A rule that refuses is not an error of the database. After a database error, the state of the connection is unknown.
        isGood = error instanceof LedgerError && !connection.isLost;
        const isAgain = isLost(error) || connection.isLost || isRetryable(error);
        if (!isAgain || this.#isClosed) throw isGood ? error : problemOf(error, this.#address.shown);
        if (performance.now() > giveUpAt) throw problemOf(error, this.#address.shown);
      } finally {
        this.#giveBack(connection, isGood);
      }
      await delay(CONFLICT_MS * (0.5 + Math.random()));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const waiting of this.#waiting.splice(0)) waiting(undefined);
    await Promise.all([...this.#all].map((connection) => connection.close()));
  }

  async #take(giveUpAt: number): Promise<Connection> {
    for (;;) {
      if (this.#isClosed) throw new LedgerError("unavailable", "The ledger was closed.");
      const idle = this.#idle.pop();
      if (idle && !idle.isLost) return idle;
      if (idle) this.#forget(idle);
      else if (this.#count < this.#most) return await this.#connect(giveUpAt);
      else {
        const given = await new Promise<Connection | undefined>((resolve) => this.#waiting.push(resolve));
        if (given) return given;
      }
    }
  }

  #giveBack(connection: Connection, isGood: boolean): void {
    if (!isGood || connection.isLost || this.#isClosed) {
      this.#forget(connection);
      void connection.close();
      this.#waiting.shift()?.(undefined);
      return;
    }
    const waiting = this.#waiting.shift();
    if (waiting) waiting(connection);
    else this.#idle.push(connection);
  }

  #forget(connection: Connection): void {
    if (this.#all.delete(connection)) this.#count--;
    this.#hasLost ||= connection.isLost;
  }

  /** The first host that accepts writes. If there is none, a failover may be in progress. */
  async #connect(giveUpAt: number): Promise<Connection> {
    this.#count++;
    try {
      for (;;) {
        const problem = await this.#tryHosts();
        if (problem instanceof Connection) {
          this.#all.add(problem);
          if (this.#hasLost) this.#onBack?.();
          this.#hasLost = false;
          return problem;
        }
        if (this.#isClosed || performance.now() > giveUpAt || !isLost(problem))
          throw problemOf(problem, this.#address.shown);
        await delay(AGAIN_MS);
      }
    } catch (error) {
      this.#count--;
      this.#waiting.shift()?.(undefined);
      throw error;
    }
  }

  async #tryHosts(): Promise<Connection | Error> {
    let problem = new Error("no host");
    for (const { host, port } of this.#address.hosts) {
      const config: ClientConfig = {
        ...this.#address.config,
        host,
        port,
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: ANSWER_MS,
        application_name: "sluice",
        keepAlive: true,
      };
      try {
        const connection = await Connection.open(config, this.#address.hasNames);
        const { rows } = await connection.query("SELECT pg_is_in_recovery()");
        if (rows[0]![0] === false) return connection;
        await connection.close();
        problem = Object.assign(new Error(`${host}: a standby, not the primary`), { code: "ECONNREFUSED" });
      } catch (error) {
        problem = error as Error;
        if (!isLost(error)) return problem;
      }
    }
    return problem;
  }
}
