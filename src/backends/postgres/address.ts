import type { ClientConfig } from "pg";
import { LedgerError } from "../../ports/ledger.ts";

export interface PgAddress {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly config: ClientConfig;
  /** Whether statements have names, so that they are planned once per connection. */
  readonly hasNames: boolean;
  /** For messages: without user name and password. */
  readonly shown: string;
}

const OPTIONS: ReadonlySet<string> = new Set(["sslmode", "statements"]);

const SSL: Readonly<Record<string, ClientConfig["ssl"]>> = {
  disable: false,
  require: { rejectUnauthorized: false },
  "verify-full": { rejectUnauthorized: true },
};

/** `postgres://user:password@host:5432,other:5432/database?sslmode=verify-full&statements=unnamed`. Hosts are tried in order. */
export const parseAddress = (url: string): PgAddress => {
  const found = /^postgres(?:ql)?:\/\/(?:([^@/]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(url);
  if (!found) throw bad("expected postgres://user:password@host:5432/database");
  const [, account = "", hosts = "", database = "", query = ""] = found;
  const [user = "", ...password] = account.split(":");
  const options = new URLSearchParams(query);
  for (const name of options.keys())
    if (!OPTIONS.has(name))
      throw bad(`unknown option \`${name}\`. Known options are ${[...OPTIONS].join(", ")}`);
  const sslmode = options.get("sslmode") ?? "disable";
  if (!(sslmode in SSL)) throw bad(`sslmode ${sslmode}: expected ${Object.keys(SSL).join(", ")}`);
  const statements = options.get("statements") ?? "named";
  if (statements !== "named" && statements !== "unnamed")
    throw bad(`statements ${statements}: expected named or unnamed`);
  return {
    hosts: (hosts || "127.0.0.1").split(",").map(hostOf),
    config: {
      database: decoded(database, "the database") || "sluice",
      ...(user !== "" && { user: decoded(user, "the user") }),
      ...(password.length > 0 && { password: decoded(password.join(":"), "the password") }),
      ssl: SSL[sslmode]!,
    },
    hasNames: statements === "named",
    shown: `postgres://${hosts}/${database}`,
  };
};

const hostOf = (text: string): { readonly host: string; readonly port: number } => {
  const [, host, port = "5432"] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  if (host === undefined) throw bad("a host is not `name` or `name:port`");
  return { host: decoded(host.replace(/^\[|\]$/g, ""), "a host"), port: Number(port) };
};

const decoded = (text: string, what: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad(`${what} has a \`%\` without two hexadecimal digits; write \`%25\` for the character`);
  }
};

/** Does not quote the URL, which may have a password. */
const bad = (problem: string): LedgerError =>
  new LedgerError("unavailable", `URL of the ledger: ${problem}.`);
