import type { Dispatcher } from "undici";
import { FailureError } from "../domain/failure.ts";
import { ChannelError } from "../ports/channel.ts";

interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Opens the sockets. Refuses private addresses where clients choose the URL. */
  readonly dispatcher: Dispatcher | undefined;
}

interface PostReply {
  readonly status: number;
  readonly retryAfter: readonly string[];
}

const LARGEST_ANSWER = 64 * 1024;

/** One POST without redirects. Only the head of the response counts. */
export const post = async (what: Post): Promise<PostReply> => {
  const { url, headers, body, timeoutMs, signal, dispatcher } = what;
  // Loaded on the first use: it takes 45 ms.
  const { request } = await import("undici");
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "sluice", ...headers },
      body,
      signal: AbortSignal.any([signal, timeout]),
      ...(dispatcher && { dispatcher }),
    });
    // Errors are ignored: a body that never ends must not keep the socket.
    answer.body.dump({ limit: LARGEST_ANSWER }).catch(() => undefined);
    return { status: answer.statusCode, retryAfter: [answer.headers["retry-after"] ?? []].flat() };
  } catch (error) {
    if (signal.aborted) throw new ChannelError("stopped", "stopped before the receiver answered");
    if (timeout.aborted) throw new ChannelError("timeout", `no answer within ${timeoutMs / 1000} s`);
    throw explain(error);
  }
};

/** Describes the error by its code: messages of lower layers quote addresses and URLs. */
const explain = (error: unknown): ChannelError => {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return new ChannelError("forbidden-target", `refused: ${refusal}`);
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  if (code === "ERR_INVALID_URL" || code === "UND_ERR_INVALID_ARG")
    return new ChannelError("bad-config", "not an http or https URL");
  return new ChannelError("unreachable", `no connection: ${code}`);
};

const refusalIn = (error: unknown): string | undefined => {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof FailureError && at.failure.kind === "forbidden-target") return at.failure.detail;
  return undefined;
};
