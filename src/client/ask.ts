import { ProblemError, readProblem } from "./problem-error.ts";
import { Silence, SilenceError } from "./silence.ts";

export interface ClientOptions {
  /** For example `http://127.0.0.1:7070`. */
  readonly server: string;
  /** An API key. Not needed on loopback if the server has no keys. */
  readonly key?: string;
  /** The global `fetch` by default. */
  readonly fetch?: typeof fetch;
  /** Retries of a repeatable request when there is no answer or the server is busy; 4 by default. */
  readonly retries?: number;
  /** Delay before the first retry; it doubles each time. 250 by default. */
  readonly firstDelayMs?: number;
  /**
   * A request fails if nothing moves for this long, neither in the answer nor in the body that is sent; 0 waits for ever. Two minutes by default. Node's own
   * `fetch` waits 10 seconds for a connection and at most five minutes for an answer.
   */
  readonly idleMs?: number;
}

export interface Asking {
  readonly json?: unknown;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly stream?: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** It creates something: an `Idempotency-Key` makes it safe to repeat. */
  readonly isCreation?: boolean;
  /** Repeating it changes nothing. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal;
}

const BUSY = new Set([429, 502, 503, 504]);
const LONGEST_WAIT_MS = 60_000;
const IDLE_MS = 120_000;

/** One request, repeated if that is safe. Throws `ProblemError`. */
export const ask = async (
  options: ClientOptions,
  method: string,
  path: string,
  asking: Asking = {},
): Promise<Response> => await askFor(options, method, path, asking, (response) => response);

/** The same, but also reads the answer: if it breaks off, the request is repeated. */
export const askJson = async <Answer>(
  options: ClientOptions,
  method: string,
  path: string,
  asking: Asking = {},
): Promise<Answer> =>
  await askFor(options, method, path, asking, async (response) => (await response.json()) as Answer);

type Read<Answer> = (response: Response) => Answer | Promise<Answer>;

const askFor = async <Answer>(
  options: ClientOptions,
  method: string,
  path: string,
  asking: Asking,
  read: Read<Answer>,
): Promise<Answer> => {
  const { retries = 4, firstDelayMs = 250 } = options;
  const isRepeatable = method === "GET" || asking.isCreation === true || asking.isRepeatable === true;
  const request = makeRequest(options, method, asking);
  for (let round = 0; ; round++) {
    const answer = await attempt(options, path, request, asking, read);
    if (!(answer instanceof ProblemError)) return answer;
    const mayPass =
      answer.code === "unreachable" ||
      BUSY.has(answer.status) ||
      answer.code === "idempotent-request-running";
    if (!isRepeatable || !mayPass || round >= retries || asking.signal?.aborted) throw answer;
    const waitMs = answer.retryAfterMs ?? firstDelayMs * 2 ** round;
    await wait(Math.min(waitMs, LONGEST_WAIT_MS), asking.signal);
  }
};

const makeRequest = ({ key }: ClientOptions, method: string, asking: Asking): RequestInit => {
  const { json, bytes, stream, headers, isCreation } = asking;
  return {
    method,
    redirect: "error",
    headers: {
      accept: "application/json, application/problem+json, */*",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(bytes && { "content-type": "application/octet-stream" }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(isCreation && { "idempotency-key": crypto.randomUUID() }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    ...(bytes && { body: bytes }),
    // A stream is sent before there is an answer.
    ...(stream && { duplex: "half" }),
  };
};

const attempt = async <Answer>(
  { server, fetch: send = fetch, idleMs = IDLE_MS }: ClientOptions,
  path: string,
  request: RequestInit,
  { stream, signal }: Asking,
  read: Read<Answer>,
): Promise<Answer | ProblemError> => {
  const silence = new Silence(idleMs);
  const explain = (error: unknown): Error => noAnswer(server, error);
  try {
    silence.begin();
    const response = await send(new URL(path, server), {
      ...request,
      ...(stream && { body: silence.sending(piecesOf(stream)) }),
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    });
    silence.answered();
    const { body, status, headers } = response;
    const heard = new Response(body && silence.receiving(body, explain), { status, headers });
    return response.ok ? await read(heard) : await readProblem(heard, server);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw cause; // it answered, but not in JSON
    return noAnswer(server, cause);
  } finally {
    silence.answered();
  }
};

const noAnswer = (server: string, cause: unknown): ProblemError => {
  if (cause instanceof ProblemError) return cause;
  const reason = reasonOf(cause);
  const code = lastOf(cause) instanceof SilenceError ? "timeout" : "unreachable";
  const detail = `${server} does not answer: ${reason}.${hintOn(reason)}`;
  return new ProblemError({ code, status: 0, detail }, { cause });
};

/** `fetch` only says that it failed; the reason is the innermost cause. */
const lastOf = (error: unknown): unknown => {
  let last: unknown = error;
  while (last instanceof Error && last.cause !== undefined) last = last.cause;
  return last;
};

const reasonOf = (error: unknown): string => {
  const last = lastOf(error);
  const { code, message } = last as { readonly code?: unknown; readonly message?: unknown };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "connecting took too long";
  return typeof code === "string" && code !== "" ? code : String(message ?? last);
};

/** Advice that the code alone does not give. */
const hintOn = (reason: string): string =>
  /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(reason)
    ? " Its certificate is not trusted here, or is for another host. If it comes from your own CA, set NODE_EXTRA_CA_CERTS to the CA's certificate."
    : "";

const piecesOf = (stream: NonNullable<Asking["stream"]>): AsyncIterator<Uint8Array> =>
  (stream as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();

const wait = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
