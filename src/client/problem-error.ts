/** The server's reason to refuse a request (RFC 9457), or why there was no answer. */
export class ProblemError extends Error {
  /** One of the API's codes; `unreachable` without an answer, `timeout` if it took too long, `not-sluice` if another program answered. */
  readonly code: string;
  /** 0 without an answer. */
  readonly status: number;
  readonly detail: string;
  /** The invalid parts of the request. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** The request's id, to find it in the server's log. */
  readonly requestId: string | undefined;
  /** Inputs taken so far, if an upload was refused. */
  readonly offset: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(facts: ProblemFacts, options?: ErrorOptions) {
    super(facts.detail, options);
    this.name = "ProblemError";
    this.code = facts.code;
    this.status = facts.status;
    this.detail = facts.detail;
    this.errors = facts.errors ?? [];
    this.requestId = facts.requestId;
    this.offset = facts.offset;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

interface ProblemFacts {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: ProblemError["errors"];
  readonly requestId?: string | undefined;
  readonly offset?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** The problem of an answer that is not a success. */
export const readProblem = async (response: Response, server: string): Promise<ProblemError> => {
  const { status } = response;
  const retryAfter = Number(response.headers.get("retry-after") ?? NaN);
  const retryAfterMs = Number.isNaN(retryAfter) ? undefined : retryAfter * 1000;
  const body = await response.text().catch(() => "");
  if (!(response.headers.get("content-type") ?? "").startsWith("application/problem+json"))
    return new ProblemError({
      code: "not-sluice",
      status,
      detail: `${server} answered ${status}, but it is not a Sluice server. Check the address.`,
      retryAfterMs,
    });
  const { code, detail, errors, instance, offset } = JSON.parse(body) as ProblemFacts & {
    readonly instance?: string;
  };
  return new ProblemError({
    code,
    status,
    detail,
    ...(errors && { errors }),
    requestId: instance,
    offset,
    retryAfterMs,
  });
};
