import type { Exchange, KeptPage } from "../domain/capture.ts";
import type { CollectorKind } from "../domain/job-version.ts";
import type { Collector, CollectorTools, KeptFile } from "../ports/collector.ts";

/** One finished request of an item. */
export interface Step {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  /** As received; undefined for a file, which is streamed. */
  readonly bytes: number | undefined;
  /** From its slot to its last byte. */
  readonly ms: number;
  /** Waiting time for its slot, including robots.txt. */
  readonly waitedMs: number;
  /** Target of a redirect. */
  readonly redirectsTo?: string;
}

/** What an item kept. */
export interface KeptByItem {
  readonly pages: readonly KeptPage[];
  readonly files: readonly (KeptFile & { readonly name: string })[];
  /** A request that was sent and never answered. */
  readonly unanswered?: string;
}

export interface Watcher {
  /** A request waits for its slot. */
  readonly onWait: (url: URL) => void;
  readonly onStep: (step: Step) => void;
  /** The outcome of the item is known; its pages can still be read. */
  readonly onEnd: (kept: KeptByItem) => void;
}

/** Wraps a collector so that it reports its requests and what it kept. */
export const watchCollector = <Kind extends CollectorKind>(
  collector: Collector<Kind>,
  watcher: Watcher,
): Collector<Kind> => ({
  ...collector,
  async open(options) {
    const requests = new OpenRequests(watcher);
    const session = await collector.open({ ...options, tools: requests.watch(options.tools) });
    return {
      tools: session.tools,
      keep: session.keep,
      kept: session.kept,
      get requests() {
        return session.requests;
      },
      get bytes() {
        return session.bytes;
      },
      get hasSecrets() {
        return session.hasSecrets;
      },
      async close() {
        const { pages, files } = session.kept;
        const unanswered = requests.unanswered();
        watcher.onEnd({
          pages: pages.map(({ name, url, status, mediaType, text }) => ({
            name,
            url,
            status,
            mediaType,
            text,
          })),
          files: [...files],
          ...(unanswered !== undefined && { unanswered }),
        });
        await session.close();
      },
    };
  },
});

/** Requests that passed the gate and are not answered yet. Concurrent requests may end in any order. */
class OpenRequests {
  readonly #watcher: Watcher;
  readonly #open: { readonly url: string; readonly waitedMs: number; readonly startedAt: number }[] = [];

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
  }

  watch(tools: CollectorTools): CollectorTools {
    return {
      ...tools,
      gate: async (url, options) => {
        const askedAt = performance.now();
        this.#watcher.onWait(url);
        const departure = await tools.gate(url, options);
        const startedAt = performance.now();
        this.#open.push({ url: url.href, waitedMs: startedAt - askedAt, startedAt });
        return departure;
      },
      archive: (exchange) => {
        this.#answered(exchange, exchange.body.length);
        return tools.archive(exchange);
      },
      archiveFile: (head, body) => {
        this.#answered(head, undefined);
        return tools.archiveFile(head, body);
      },
    };
  }

  unanswered(): string | undefined {
    return this.#open.at(-1)?.url;
  }

  #answered(
    { method, url, status, responseHeaders }: Omit<Exchange, "body">,
    bytes: number | undefined,
  ): void {
    const at = this.#open.findIndex((request) => request.url === url);
    const [request] = at < 0 ? [] : this.#open.splice(at, 1);
    const location = status >= 300 && status < 400 ? headerOf(responseHeaders, "location") : undefined;
    this.#watcher.onStep({
      method,
      url,
      status,
      bytes,
      ms: request === undefined ? 0 : performance.now() - request.startedAt,
      waitedMs: request?.waitedMs ?? 0,
      ...(location !== undefined && { redirectsTo: location }),
    });
  }
}

const headerOf = (headers: Exchange["responseHeaders"], name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1];
