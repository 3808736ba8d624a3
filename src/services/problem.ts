/** Every error that a client can meet, by a code that programs can rely on, with the HTTP status that the API answers with. */
const PROBLEMS = {
  "invalid-request": [400, "The request does not match its schema"],
  "bad-cursor": [400, "The cursor is not valid for this list"],
  unauthorized: [401, "No valid API key"],
  forbidden: [403, "Not allowed with this key"],
  "not-found": [404, "Not found"],
  "job-removed": [404, "The job was removed"],
  "method-not-allowed": [405, "Method not allowed"],
  "job-ended": [409, "The job has ended"],
  "job-running": [409, "The job has not ended"],
  "job-sealed": [409, "The job takes no more inputs"],
  "storage-full": [409, "The client has reached its storage limit"],
  "client-exists": [409, "A client with this name exists"],
  "scraper-exists": [409, "The installation has a scraper with this name"],
  "offset-gap": [409, "Inputs before the given offset are missing"],
  "upload-in-progress": [409, "Another upload to this job is in progress"],
  "idempotent-request-running": [409, "The first request with this Idempotency-Key is still in progress"],
  "scraper-changed": [409, "The scraper has changed since the server loaded it"],
  "items-in-flight": [409, "Workers are still running items of the job with the previous version"],
  "release-refused": [409, "The release cannot be published"],
  "release-changed": [409, "Someone else has changed the dataset or the release"],
  "changed-meanwhile": [409, "Another request changed it at the same time"],
  "in-use": [409, "Something else uses it"],
  "schedule-exists": [409, "A schedule with this name exists"],
  "still-running": [409, "An earlier firing of the schedule has not ended"],
  "too-many": [409, "The limit is reached"],
  "too-large": [413, "The request is too large"],
  "unsupported-media-type": [415, "Unsupported media type"],
  "idempotency-key-reused": [422, "The Idempotency-Key was used for a different request"],
  "unknown-scraper": [422, "No such scraper"],
  "broken-scraper": [422, "The scraper cannot be loaded"],
  "no-input-fits": [422, "The scraper accepts none of the inputs"],
  "too-many-rejected": [422, "Too many inputs of the job were rejected"],
  "bad-inputs": [422, "The inputs cannot be read"],
  "forbidden-target": [422, "The address is not allowed"],
  "no-such-extraction": [422, "The job has no such extraction"],
  "no-such-field": [422, "The job has no such field"],
  "bad-dataset": [422, "The dataset cannot be written as it is declared"],
  "lower-limit": [422, "The limits of a job can only be raised"],
  "version-refused": [422, "The version of the scraper is not activated"],
  "new-version-refused": [422, "The job cannot continue with the new version of its scraper"],
  "no-changes": [422, "The job does not record changes"],
  "other-protocol": [426, "The worker uses a different protocol version"],
  "too-many-requests": [429, "Too many requests"],
  "too-many-streams": [429, "The client has too many open streams"],
  "too-many-jobs": [429, "The client has too many open jobs"],
  "quota-exceeded": [429, "The client's quota is used up"],
  damaged: [500, "Stored data is damaged"],
  internal: [500, "Internal error"],
  unavailable: [503, "The service is temporarily unavailable"],
} as const satisfies Readonly<Record<string, readonly [status: number, title: string]>>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_CODES = Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]];

export const statusOf = (code: ProblemCode): number => PROBLEMS[code][0];
export const titleOf = (code: ProblemCode): string => PROBLEMS[code][1];

interface ProblemFacts {
  /** The invalid parts of the request. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** Why the service is not ready. */
  readonly reasons?: readonly { readonly code: string; readonly detail: string }[];
  /** Inputs taken so far, for an upload. */
  readonly offset?: number;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A use case refuses. The API answers it as RFC 9457 describes; the command line prints the message. */
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
