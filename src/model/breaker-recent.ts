import { FAILURE_KINDS, type FailureKind } from "./failure.ts";

export type RecentResult = "done" | "absent" | FailureKind;

const KEPT = 50;

/** Kept in ledgers: a letter, once given, keeps its meaning. */
const LETTERS: Readonly<Record<RecentResult, string>> = {
  done: ".",
  absent: "a",
  timeout: "t",
  connection: "c",
  "rate-limited": "r",
  blocked: "b",
  captcha: "h",
  maintenance: "m",
  "server-error": "e",
  "structure-changed": "x",
  navigation: "n",
  "invalid-input": "i",
  "forbidden-target": "f",
  "robots-denied": "d",
  "too-large": "l",
  "bad-content": "g",
  "scraper-error": "s",
  "worker-lost": "w",
  budget: "u",
};

const ALL: readonly RecentResult[] = ["done", "absent", ...FAILURE_KINDS];
const RESULTS: ReadonlyMap<string, RecentResult> = new Map(ALL.map((result) => [LETTERS[result], result]));

/** One letter more, the oldest beyond fifty forgotten. */
export const appendRecent = (recent: string, result: RecentResult): string =>
  (recent.length < KEPT ? recent : recent.slice(1 - KEPT)) + LETTERS[result];

/** Oldest first. */
export const readRecent = (recent: string): RecentResult[] =>
  recent.split("").flatMap((letter) => RESULTS.get(letter) ?? []);
