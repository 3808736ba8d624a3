import type { AttackKit, Reply } from "./attack-kit.ts";

/** What one client does to a service. */
export interface Attack {
  readonly name: string;
  /** A body that takes long to make: it is made before anybody's time is taken. */
  readonly prepare?: (scale: Scale) => Promise<Buffer>;
  /** What an operator has set while it goes on, also in the times without it; answers how it is taken back. */
  readonly set?: (kit: AttackKit) => Promise<() => Promise<unknown>>;
  /** Answers what broke, or nothing where the service held. It is called over and over. */
  readonly run: (kit: AttackKit, scale: Scale, body: Buffer) => Promise<string | undefined>;
  /** Of the shared lane, the neighbour's part while the attacker has work there; 1 where it has none. */
  readonly share?: number;
  /** A test that shows the same without regard to how fast the machine is: the short form leaves it to that. */
  readonly testedBy?: string;
  /** Why it cannot be tried on this machine. */
  readonly skip?: () => string | undefined;
}

/** How hard: the short form runs with the tests. */
export interface Scale {
  readonly items: number;
  readonly fileBytes: number;
  readonly readers: number;
  readonly bombRows: number;
  readonly unauthenticated: number;
  readonly jobs: number;
  readonly bigRows: number;
  readonly collisions: number;
  /** Of each time without an attack and of each with it, at least. */
  readonly sliceMs: number;
  /** Times with the attack, at least; each comes after one without. */
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
  sliceMs: 0,
  slices: 1,
};

export const NDJSON = { "content-type": "application/x-ndjson" };
export const CSV = { "content-type": "text/csv" };
export const JSON_TYPE = { "content-type": "application/json" };

export const times = <T>(count: number, run: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)));

/** Answers that are neither done nor refused in a known way. */
export const unexpected = (replies: readonly Reply[], ...expected: readonly number[]): string | undefined => {
  const wrong = replies.find(({ status }) => !expected.includes(status));
  return wrong && `answered ${wrong.status}: ${wrong.body.toString().slice(0, 200)}`;
};

export const rows = (inputs: readonly unknown[]): string =>
  inputs.map((input) => `${JSON.stringify(input)}\n`).join("");
