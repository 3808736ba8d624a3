import { ProblemError, readProblem } from "./problem-error.ts";

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
    const answer = await once(options, path, request, read);
    if (!(answer instanceof ProblemError)) return answer;
    const mayPass = answer.status === 0 || BUSY.has(answer.status) || answer.code === "once-under-way";
    if (!isRepeatable || !mayPass || round >= retries || asking.signal?.aborted) throw answer;
    const waitMs = answer.retryAfterMs ?? firstDelayMs * 2 ** round;
    await wait(Math.min(waitMs, LONGEST_WAIT_MS), asking.signal);
  }
};

const makeRequest = ({ key }: ClientOptions, method: string, asking: Asking): RequestInit => {
  const { json, stream, headers, isOnce, signal } = asking;
  const body = stream ? asBody(stream) : json === undefined ? undefined : JSON.stringify(json);
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
    ...(body !== undefined && { body }),
    // What is sent as a stream is on its way before there is an answer.
    ...(stream && { duplex: "half" }),
    ...(signal && { signal }),
  };
};

const once = async <Answer>(
  { server, fetch: send = fetch }: ClientOptions,
  path: string,
  request: RequestInit,
  read: Read<Answer>,
): Promise<Answer | ProblemError> => {
  try {
    const response = await send(new URL(path, server), request);
    return response.ok ? await read(response) : await readProblem(response, server);
  } catch (cause) {
    if (cause instanceof SyntaxError) throw cause; // it did answer, though not in JSON
    return new ProblemError(
      {
        code: "unreachable",
        status: 0,
        detail: `${server} does not answer: ${reasonOf(cause)}.${hintOn(reasonOf(cause))}`,
      },
      { cause },
    );
  }
};

/** `fetch` says only that it failed; the reason lies below. */
const reasonOf = (error: unknown): string => {
  let last: unknown = error;
  while (last instanceof Error && last.cause !== undefined) last = last.cause;
  const { code, message } = last as { readonly code?: unknown; readonly message?: unknown };
  return typeof code === "string" && code !== "" ? code : String(message ?? last);
};

/** What cannot be guessed from the code alone. */
const hintOn = (reason: string): string =>
  /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME/.test(reason)
    ? " Its certificate is not trusted here, or names another host. Where it comes from a CA of your own, name the CA's certificate in NODE_EXTRA_CA_CERTS."
    : "";

const asBody = (stream: NonNullable<Asking["stream"]>): ReadableStream<Uint8Array> => {
  if (stream instanceof ReadableStream) return stream;
  const pieces = stream[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await pieces.return?.();
    },
  });
};

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
