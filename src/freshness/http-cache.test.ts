import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { WorkerKit } from "../../test/worker-kit.ts";
import { openSqlite } from "../backends/sqlite/open.ts";
import type { Handler } from "../collectors/http/testing/test-site.ts";
import { outOfScope, readSuite, type SuiteCase, type SuiteRequest } from "./http-cache.suite.ts";

/** As the suite waits between two requests where it lets a response age; here the ledger's clock moves instead. */
const PAUSE_MS = 3000;
const DATES = new Set(["date", "expires", "last-modified"]);

/** The origin: answers a case's request of this round, and records the requests. */
class Origin {
  round = 0;
  /** By case and round: the request's headers. */
  readonly seen = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #cases: ReadonlyMap<string, SuiteCase>;

  constructor(cases: readonly SuiteCase[]) {
    this.#cases = new Map(cases.map((one) => [one.id, one]));
  }

  readonly handle: Handler = ({ url, headers }, response) => {
    const one = this.#cases.get(url.slice(1))!;
    const asked = one.requests[this.round]!;
    this.seen.set(`${one.id} ${this.round}`, headers);
    const status = this.#isValidated(one, headers) ? 304 : (asked.response_status?.[0] ?? 200);
    const fields = (asked.response_headers ?? []).map(([name, value]) => headerOf(asked, name, value));
    if (!fields.some(([name]) => name.toLowerCase() === "content-type"))
      fields.push(["Content-Type", "text/plain"]);
    response.sendDate = !fields.some(([name]) => name.toLowerCase() === "date");
    response.writeHead(status, fields.flat());
    response.end(
      status === 304 || status === 204 ? undefined : (asked.response_body ?? `${one.id} ${this.round}`),
    );
  };

  #isValidated(one: SuiteCase, headers: Readonly<Record<string, unknown>>): boolean {
    if (!one.requests[this.round]!.expected_type?.endsWith("validated")) return false;
    const before = one.requests[this.round - 1]!;
    const sent = (name: string) =>
      before.response_headers
        ?.filter(([given]) => given.toLowerCase() === name)
        .map(([given, value]) => headerOf(before, given, value)[1])[0];
    const [etag, modified] = [sent("etag"), sent("last-modified")];
    return (
      (etag !== undefined && headers["if-none-match"] === etag) ||
      (modified !== undefined && headers["if-modified-since"] !== undefined)
    );
  }
}

/** Numbers of dates are seconds from now. */
const headerOf = (asked: SuiteRequest, name: string, value: string | number): [string, string] => {
  if (typeof value === "string" || !DATES.has(name.toLowerCase())) return [name, String(value)];
  const date = new Date(Date.now() + value * 1000);
  const isOld = (asked["rfc850date"] as readonly string[] | undefined)?.includes(name.toLowerCase());
  return [name, isOld ? rfc850(date) : date.toUTCString()];
};

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const rfc850 = (date: Date): string => {
  const [, day, month, year, time] = date.toUTCString().split(" ");
  return `${WEEKDAYS[date.getUTCDay()]}, ${day}-${month}-${year!.slice(2)} ${time} GMT`;
};

/** What goes wrong in a case, or undefined. */
const problemOf = (one: SuiteCase, origin: Origin): string | undefined => {
  for (const [round, { expected_type: expected }] of one.requests.entries()) {
    const headers = origin.seen.get(`${one.id} ${round}`);
    if (expected === "cached" && headers) return `request ${round + 1} reached the origin`;
    if (expected === "not_cached" && !headers) return `request ${round + 1} was answered from the archive`;
    if (expected === "etag_validated" && !headers?.["if-none-match"])
      return `request ${round + 1} had no If-None-Match`;
    if (expected === "lm_validated" && !headers?.["if-modified-since"])
      return `request ${round + 1} had no If-Modified-Since`;
  }
  return undefined;
};

/** Round after round, each a job: all cases' first requests, then their second, and so on. */
const runCases = async (
  cases: readonly SuiteCase[],
  clientOf: (round: number) => string,
): Promise<ReadonlyMap<string, string | undefined>> => {
  const origin = new Origin(cases);
  await using kit = await WorkerKit.open(origin.handle);
  let ahead = 0;
  const ledger = await openSqlite(join(kit.storage.data, "sluice.db"), { now: () => Date.now() + ahead });
  for (; origin.round < Math.max(...cases.map(({ requests }) => requests.length)); origin.round++) {
    const asked = cases.filter(({ requests }) => requests.length > origin.round);
    const id = `round-${origin.round}`;
    const spec = { id, client: clientOf(origin.round), freshness: {}, guardsTargets: true };
    await kit.submit(
      asked.map((one) => `/${one.id}`),
      {},
      {},
      spec,
    );
    await kit.run({ job: id, ledger });
    if (asked.some(({ requests }) => requests[origin.round]!.pause_after)) ahead += PAUSE_MS;
  }
  await ledger.close();
  return new Map(cases.map((one) => [one.id, problemOf(one, origin)]));
};

const ODD_AGE = "`Age: 0,7200` might mean either: taken for old, as the case's own name has it";

const MODES = {
  "a shared cache between clients": {
    clientOf: (round: number) => `client-${round}`,
    skips: "browser_only",
    /** Cases in which it does otherwise, and why. */
    known: {
      "age-parse-prefix": ODD_AGE,
      "other-set-cookie": "what sets a cookie is not shared",
    } as Readonly<Record<string, string>>,
  },
  "a private cache within a client": {
    clientOf: () => "client",
    skips: "browser_skip",
    known: {
      "age-parse-prefix": ODD_AGE,
    } as Readonly<Record<string, string>>,
  },
} as const;

for (const [mode, { clientOf, skips, known }] of Object.entries(MODES))
  test(`the public HTTP cache tests for plain GETs hold for ${mode}`, async (t) => {
    const suite = await readSuite();
    const cases = suite.filter((one) => !outOfScope(one) && !one[skips] && !one.cdn_only);
    const problems = new Map<string, string | undefined>();
    // Time passes for all cases of a run together.
    for (const alike of Map.groupBy(cases, pausesOf).values())
      for (const [id, problem] of await runCases(alike, clientOf)) problems.set(id, problem);
    for (const line of table(cases, problems, known)) t.diagnostic(line);
    for (const [reason, some] of Map.groupBy(suite, (one) => outOfScope(one) ?? ""))
      if (reason) t.diagnostic(`out of scope, ${some.length} cases: ${reason}`);
    const missed = cases.filter((one) => one.kind !== "check" && problems.get(one.id));
    assert.deepEqual(missed.map(({ id }) => id).toSorted(), Object.keys(known).toSorted());
  });

const pausesOf = ({ requests }: SuiteCase): string =>
  requests.map(({ pause_after }) => (pause_after ? "pause" : "-")).join(" ");

const table = (
  cases: readonly SuiteCase[],
  problems: ReadonlyMap<string, string | undefined>,
  known: Readonly<Record<string, string>>,
): string[] => {
  const lines: string[] = [];
  for (const [group, tests] of Map.groupBy(cases, (one) => one.group)) {
    const count = (kind: SuiteCase["kind"]) => {
      const some = tests.filter((one) => one.kind === kind);
      return `${kind} ${some.filter(({ id }) => !problems.get(id)).length}/${some.length}`.padEnd(16);
    };
    lines.push(`${group.padEnd(18)} ${count("required")} ${count("optimal")} ${count("check")}`);
  }
  const failed = cases.filter((one) => one.kind !== "check" && problems.get(one.id));
  for (const { kind, id } of failed) lines.push(`${kind} ${id}: ${problems.get(id)} (${known[id] ?? "?"})`);
  return lines;
};
