/** Everything that can go wrong with a request, by the code that programs may rely on. */
const PROBLEMS = {
  "invalid-request": [400, "The request does not fit its schema"],
  "bad-cursor": [400, "The cursor is none that this list gave"],
  unauthorized: [401, "No valid API key"],
  forbidden: [403, "Not allowed with this key"],
  "not-found": [404, "There is no such thing"],
  "job-removed": [404, "The job was removed"],
  "method-not-allowed": [405, "Not with this method"],
  "job-ended": [409, "The job has ended"],
  "job-running": [409, "The job has not ended"],
  "job-sealed": [409, "The job takes no more inputs"],
  "storage-full": [409, "The client keeps as much as it may"],
  "client-exists": [409, "There is a client of that name"],
  "offset-gap": [409, "Inputs before the given offset are missing"],
  "upload-under-way": [409, "Another upload to this job is under way"],
  "once-under-way": [409, "The first request with this Idempotency-Key is under way"],
  "scraper-changed": [409, "The scraper was changed since the server loaded it"],
  "still-in-hand": [409, "Workers still run items of the job with the version before"],
  "too-large": [413, "The request is too large"],
  "unsupported-media-type": [415, "The body's media type is not taken here"],
  "once-mismatch": [422, "The Idempotency-Key was used for another request"],
  "unknown-scraper": [422, "There is no such scraper"],
  "broken-scraper": [422, "The scraper cannot be loaded"],
  "no-input-fits": [422, "No input fits the scraper"],
  "too-many-rejected": [422, "Too many inputs of the job were rejected"],
  "bad-inputs": [422, "The inputs cannot be read"],
  "forbidden-target": [422, "The address is not allowed"],
  "no-such-extraction": [422, "The job has no such extraction"],
  "no-such-field": [422, "The job has no such field"],
  "lower-limit": [422, "A job's limits can only be raised"],
  "new-version-refused": [422, "The job cannot go on with the new version of its scraper"],
  "no-changes": [422, "The job does not know what changed"],
  "other-protocol": [426, "The worker speaks another version of the protocol"],
  "too-many-requests": [429, "Too many requests"],
  "too-many-streams": [429, "The client has too many streams open"],
  "too-many-jobs": [429, "The client has too many open jobs"],
  "quota-exceeded": [429, "The client's quota is used up"],
  damaged: [500, "Stored data is damaged"],
  internal: [500, "Something broke here"],
  unavailable: [503, "The service cannot answer now"],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

export const statusOf = (code: ProblemCode): number => PROBLEMS[code][0];
export const titleOf = (code: ProblemCode): string => PROBLEMS[code][1];

interface ProblemFacts {
  /** Which parts of the request are wrong. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** Why the service is not ready. */
  readonly reasons?: readonly { readonly code: string; readonly detail: string }[];
  /** Where an upload stands. */
  readonly offset?: number;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown anywhere on the way of a request; answered as RFC 9457 has it. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly facts: ProblemFacts;
  constructor(code: ProblemCode, detail: string, facts: ProblemFacts = {}, options?: ErrorOptions) {
    super(detail, options);
    this.name = "Problem";
    this.code = code;
    this.facts = facts;
  }
}
