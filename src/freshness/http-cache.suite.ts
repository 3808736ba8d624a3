import { createRequire } from "node:module";
import { join, dirname } from "node:path";
import { pathToFileURL } from "node:url";

/** One request of a case, as far as plain GETs need it. */
export interface SuiteRequest {
  readonly response_headers?: readonly (readonly [string, string | number, boolean?])[];
  readonly response_status?: readonly [number, string];
  readonly response_body?: string | null;
  readonly pause_after?: boolean;
  readonly expected_type?: "cached" | "not_cached" | "etag_validated" | "lm_validated";
  readonly [other: string]: unknown;
}

export interface SuiteCase {
  readonly id: string;
  readonly name: string;
  readonly group: string;
  /** `required` by RFC 9111, `optimal`: allowed and preferred, `check`: only informational. */
  readonly kind: "required" | "optimal" | "check";
  readonly browser_skip?: boolean;
  readonly browser_only?: boolean;
  readonly cdn_only?: boolean;
  readonly requests: readonly SuiteRequest[];
}

interface SuiteGroup {
  readonly id: string;
  readonly tests: readonly (Omit<SuiteCase, "kind" | "group"> & { readonly kind?: SuiteCase["kind"] })[];
}

const require = createRequire(import.meta.url);

/** The public HTTP cache tests of npm `http-cache-tests`, as data. */
export const readSuite = async (): Promise<readonly SuiteCase[]> => {
  const root = dirname(require.resolve("http-cache-tests/package.json"));
  const { default: groups } = (await import(pathToFileURL(join(root, "tests/index.mjs")).href)) as {
    readonly default: readonly SuiteGroup[];
  };
  return groups.flatMap(({ id, tests }) =>
    tests.map((test) => ({ ...test, group: id, kind: test.kind ?? "required" })),
  );
};

const PLAIN = new Set([
  "response_headers",
  "response_status",
  "response_body",
  "pause_after",
  "expected_type",
  "setup",
  "setup_tests",
  "rfc850date",
  "check_body",
  "expected_method",
  "expected_request_headers",
]);

const BEYOND: Readonly<Record<string, string>> = {
  request_method: "not a GET",
  request_headers: "request headers of its own",
  request_body: "not a GET",
  expected_response_headers: "headers of the cached response: they are read from the archive as they came",
  expected_response_headers_missing:
    "headers of the cached response: they are read from the archive as they came",
  query_arg: "another URL: an item of its own",
  filename: "another URL: an item of its own",
  redirect: "redirects: each is a request of its own",
  expected_status: "a status of the cache's own",
  disconnect: "an origin that breaks off: a failure, tried again",
  interim_responses: "informational responses",
  magic_locations: "invalidation by another URL",
};

/** Why a case is not about plain GETs and their freshness; undefined when it is. */
export const outOfScope = ({ group, requests }: SuiteCase): string | undefined => {
  if (group === "vary" || group === "vary-parse")
    return "Vary: one scraper sends the same headers each time; `*` is obeyed";
  if (group === "partial") return "partial content: files are fetched whole";
  if (group === "stale") return "stale responses: Sluice serves none, it fetches again";
  for (const request of requests) {
    const status = request.response_status?.[0] ?? 200;
    if (status < 200 || status > 299) return "not a success: an outcome of its own, with its own window";
    const beyond = Object.keys(request).find((name) => !PLAIN.has(name));
    if (beyond) return BEYOND[beyond] ?? `\`${beyond}\``;
  }
  return requests.some(({ expected_type }) => expected_type) ? undefined : "nothing is expected of the cache";
};
