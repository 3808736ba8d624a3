import { ProblemError, readProblem } from "./problem-error.ts";
import { Silence, SilenceError } from "./silence.ts";

export interface ClientOptions {
  /** As `http://127.0.0.1:7070`. */
  readonly server: string;
  /** An API key; none on loopback where the server has none. */
  readonly key?: string;
  /** The machine's own unless given. */
  readonly fetch?: typeof fetch;
  /** How often a request that may be repeated is, when there is no answer or the server is busy; 4 unless given. */
  readonly retries?: number;
  /** Before the first repetition; then twice as long each time. 250 unless given. */
  readonly firstDelayMs?: number;
  /**
   * A request ends when the server lets nothing move for so long, neither of the answer nor of what is sent; 0 never. Two minutes unless given. Node's own
   * `fetch` waits for a connection for 10 seconds, and for an answer for no more than five minutes.
   */
  readonly idleMs?: number;
}

export interface Asking {
  readonly json?: unknown;
  readonly stream?: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  /** It makes something: an `Idempotency-Key` lets it be repeated and happen once. */
  readonly isOnce?: boolean;
  /** Doing it again changes nothing. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal;
}

const BUSY = new Set([429, 502, 503, 504]);
const LONGEST_WAIT_MS = 60_000;
const IDLE_MS = 120_000;

/** One request, repeated where that does no harm. Throws `ProblemError`. */
export const ask = async (
  options: ClientOptions,
  method: string,
  path: string,
  asking: Asking = {},
): Promise<Response> => await askFor(options, method, path, asking, (response) => response);

/** The same, with an answer that is read here: one that breaks off is no answer, and asked for again. */
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
  const isRepeatable = method === "GET" || asking.isOnce === true || asking.isRepeatable === true;
  const request = makeRequest(options, method, asking);
  for (let round = 0; ; round++) {
    const answer = await once(options, path, request, asking, read);
    if (!(answer instanceof ProblemError)) return answer;
    const mayPass =
      answer.code === "unreachable" || BUSY.has(answer.status) || answer.code === "once-under-way";
    if (!isRepeatable || !mayPass || round >= retries || asking.signal?.aborted) throw answer;
    const waitMs = answer.retryAfterMs ?? firstDelayMs * 2 ** round;
    await wait(Math.min(waitMs, LONGEST_WAIT_MS), asking.signal);
  }
};

const makeRequest = ({ key }: ClientOptions, method: string, asking: Asking): RequestInit => {
  const { json, stream, headers, isOnce } = asking;
  return {
    method,
    redirect: "error",
    headers: {
      accept: "application/json, application/problem+json, */*",
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(isOnce && { "idempotency-key": crypto.randomUUID() }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    // What is sent as a stream is on its way before there is an answer.
    ...(stream && { duplex: "half" }),
  };
};

const once = async <Answer>(
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
    if (cause instanceof SyntaxError) throw cause; // it did answer, though not in JSON
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

/** `fetch` says only that it failed; the reason lies below. */
const lastOf = (error: unknown): unknown => {
  let last: unknown = error;
  while (last instanceof Error && last.cause !== undefined) last = last.cause;
  return last;
};

const reasonOf = (error: unknown): string => {
  const last = lastOf(error);
  const { code, message } = last as { readonly code?: unknown; readonly message?: unknown };
  if (code === "UND_ERR_CONNECT_TIMEOUT") return "no connection within the time for it";
  return typeof code === "string" && code !== "" ? code : String(message ?? last);
};

/** What cannot be guessed from the code alone. */
const hintOn = (reason: string): string =>
  /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(reason)
    ? " Its certificate is not trusted here, or names another host. Where it comes from a CA of your own, name the CA's certificate in NODE_EXTRA_CA_CERTS."
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
