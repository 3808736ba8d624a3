import { hash, randomUUID } from "node:crypto";

/** The tokens of one search page: both must come back with a search. */
export interface PageTokens {
  /** In a `meta` element; has characters that HTML must encode. */
  readonly csrf: string;
  /** In a hidden field. */
  readonly form: string;
}

export interface SearchTokens {
  issue(session: string): PageTokens;
  /** Whether both belong to one page of this session; with one-time tokens only the first time. */
  accept(session: string, tokens: Partial<PageTokens>): boolean;
}

/** Old pages are forgotten after this many searches; their tokens would be accepted again. */
const MOST_REMEMBERED = 100_000;

/** Tokens carry their own signature, as sessions do; only spent ones are remembered. */
export function openTokens(seed: number, isOneTime: boolean): SearchTokens {
  const spent = new Set<string>();
  const sign = (text: string) => hash("sha1", `${seed}|${text}`, "base64");
  const tokensOf = (session: string, page: string): PageTokens => ({
    csrf: `${page}<&"'>${sign(`csrf ${session} ${page}`)}`,
    form: `${page}+/${sign(`form ${session} ${page}`)}`,
  });
  return {
    issue: (session) => tokensOf(session, randomUUID().slice(24)),
    accept(session, { csrf = "", form = "" }) {
      const page = csrf.slice(0, 12);
      const expected = tokensOf(session, page);
      if (expected.csrf !== csrf || expected.form !== form) return false;
      if (!isOneTime) return true;
      if (spent.has(page)) return false;
      if (spent.size >= MOST_REMEMBERED) spent.delete(spent.values().next().value ?? "");
      spent.add(page);
      return true;
    },
  };
}

/** Keys of signatures are in the script, for everyone to read; none of the answers has a signature. */
export const SIGNING_KEY = "willow-2026-7c1f";

const MINUTE = 60_000;

/** Accepts the signatures of the last and the next minute: clocks differ. */
export function isSigned(reference: string, sig: string | null, nowMs: number): boolean {
  const minute = Math.floor(nowMs / MINUTE);
  return [minute - 1, minute, minute + 1].some(
    (one) => hash("sha256", `${reference}${SIGNING_KEY}${one}`, "hex") === sig,
  );
}
