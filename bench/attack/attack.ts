import type { AttackKit, Reply } from "./attack-kit.ts";

/** What an attack did to the service. `slow`: something took longer than it may on a quiet machine; the tests, which run on busy ones, ignore it. */
export type Harm = string | { readonly slow: string };

/** What one client does to a service. */
export interface Attack {
  readonly name: string;
  /** A body that takes long to build. It is built before anything is measured. */
  readonly prepare?: (scale: Scale) => Promise<Buffer>;
  /** A setting of the operator, in force during the attack and in quiet periods. Returns how to undo it. */
  readonly set?: (kit: AttackKit) => Promise<() => Promise<unknown>>;
  /** Returns what broke, or undefined if the service held. It is called repeatedly. */
  readonly run: (kit: AttackKit, scale: Scale, body: Buffer) => Promise<Harm | undefined>;
  /** The neighbour's share of the shared lane while the attacker has work there; 1 if the attacker has none. */
  readonly share?: number;
  /** A test that shows the same on a machine of any speed; the short form skips the attack then. */
  readonly testedBy?: string;
  /** Why it cannot run on this machine. */
  readonly skip?: () => string | undefined;
}

/** How hard the attacks are. The tests run the short form. */
export interface Scale {
  /** Of the attacker's finished job. */
  readonly items: number;
  /** Of the file that one of its items has kept. */
  readonly fileBytes: number;
  readonly readers: number;
  readonly bombRows: number;
  readonly unauthenticated: number;
  readonly jobs: number;
  readonly bigRows: number;
  readonly collisions: number;
  /** Rounds of 50 pages of items. */
  readonly pageRounds: number;
  /** The neighbour sends a request at this interval, whether or not the one before was answered. */
  readonly askMs: number;
  /** Minimum length of each period, with and without the attack. */
  readonly sliceMs: number;
  /** Minimum number of periods with the attack; a quiet period comes before each. */
  readonly slices: number;
}

export const FULL: Scale = {
  items: 30_000,
  fileBytes: 190 * 1024 * 1024,
  readers: 14,
  bombRows: 20_000_000,
  unauthenticated: 5_000,
  jobs: 3_000,
  bigRows: 600,
  collisions: 8_192,
  pageRounds: 4,
  askMs: 20,
  sliceMs: 3_000,
  slices: 3,
};
export const SHORT: Scale = {
  items: 3_000,
  fileBytes: 48 * 1024 * 1024,
  readers: 14,
  bombRows: 2_000_000,
  unauthenticated: 2_000,
  jobs: 300,
  bigRows: 30,
  collisions: 1_024,
  pageRounds: 1,
  askMs: 100,
  sliceMs: 0,
  slices: 1,
};

export const NDJSON = { "content-type": "application/x-ndjson" };
export const CSV = { "content-type": "text/csv" };
export const JSON_TYPE = { "content-type": "application/json" };

export const times = <T>(count: number, run: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)));

/** The first answer whose status is not expected. */
export const unexpected = (replies: readonly Reply[], ...expected: readonly number[]): string | undefined => {
  const wrong = replies.find(({ status }) => !expected.includes(status));
  return wrong && `answered ${wrong.status}: ${wrong.body.toString().slice(0, 200)}`;
};

export const rows = (inputs: readonly unknown[]): string =>
  inputs.map((input) => `${JSON.stringify(input)}\n`).join("");
