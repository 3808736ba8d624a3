import { isSecretParameter, redactSecrets } from "./redact-secrets.ts";

/** One change that an operator, an admin or a user of the data folder has made, or tried to make. */
export interface AuditEntry {
  readonly at: number;
  /** `key:ID`, `user:NAME` of the machine, or `local` where the API needs no key. */
  readonly actor: string;
  /** Whose key it is. */
  readonly client?: string;
  readonly via: "api" | "cli";
  /** As the API names the operation. */
  readonly action: string;
  /** What was changed: a client, a key, a lane, a job, a folder. */
  readonly target?: string;
  /** What was asked for, as JSON, without secrets. */
  readonly detail?: string;
  /** The caller's address; through a proxy on this machine, the one that the proxy reports. */
  readonly from?: string;
  /** `ok`, or the code of what went wrong. */
  readonly outcome: string;
}

const LONGEST = 2000;
const URL_MEMBERS = new Set(["url", "webhook"]);

/** The request in a few words: secrets are left out, URLs of receivers are cut to their hosts. Undefined if there was none. */
export const auditDetail = (asked: Readonly<Record<string, unknown>>): string | undefined => {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== null);
  if (given.length === 0) return undefined;
  const text = JSON.stringify(Object.fromEntries(given), cleaned);
  return text.length <= LONGEST ? text : JSON.stringify({ beginning: text.slice(0, LONGEST / 2) });
};

const cleaned = (name: string, value: unknown): unknown => {
  if (typeof value !== "string") return value;
  if (URL_MEMBERS.has(name)) return URL.parse(value)?.origin ?? "***";
  return isSecretParameter(name, value) ? "***" : redactSecrets(value);
};
