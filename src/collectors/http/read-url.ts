import type { Dispatcher } from "undici";
import { FailureError, type FailureKind } from "../../domain/failure.ts";

const MOST_REDIRECTS = 5;
const MOST_BYTES = 1024 ** 3;

/**
 * Reads a file that a client names by its URL, outside of any lane. The dispatcher opens the sockets of every redirect, and refuses private addresses. An answer
 * that will not get better is a failure of kind `bad-content`, `too-large` or `forbidden-target`.
 */
export const urlReader = (dispatcher: Dispatcher) =>
  async function* (first: URL, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { request } = await import("undici");
    let url = first;
    for (let redirects = 0; ; redirects++) {
      const { statusCode, headers, body } = await request(url, {
        headers: { "user-agent": "sluice" },
        signal,
        dispatcher,
      });
      const { location } = headers;
      if (statusCode >= 300 && statusCode < 400 && typeof location === "string") {
        await body.dump();
        url = new URL(location, url);
        if (redirects >= MOST_REDIRECTS || !/^https?:$/.test(url.protocol))
          throw failure(
            "bad-content",
            first,
            `it redirects to ${redirects >= MOST_REDIRECTS ? "too many places" : url.protocol}`,
          );
        continue;
      }
      if (statusCode !== 200) {
        await body.dump();
        const text = `it answered ${statusCode}`;
        if (statusCode >= 500 || statusCode === 429) throw new Error(`${first.host}: ${text}`);
        throw failure("bad-content", first, text);
      }
      let bytes = 0;
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        if (bytes > MOST_BYTES)
          throw failure("too-large", first, `it is larger than ${MOST_BYTES / 1024 ** 3} GiB`);
        yield chunk;
      }
      return;
    }
  };

const failure = (kind: FailureKind, { host }: URL, detail: string): FailureError =>
  new FailureError({ kind, detail: `${host}: ${detail}` });
