import type { Exchange, KeptPage } from "../../domain/capture.ts";
import { RESOURCE_PREFIXES, pageUrlOf } from "../../domain/capture.ts";
import { FailureError } from "../../domain/failure.ts";
import type { CollectSession, Keep, KeptFile, SessionOptions } from "../../ports/collector.ts";
import { readContentType } from "../http/decode-text.ts";
import type { TargetGuard } from "../http/target-guard.ts";
import type { Proxies } from "../proxy/proxies.ts";
import { ActiveClock, settledWithin } from "./active-clock.ts";
import type { BrowserPool } from "./browser-pool.ts";
import { type FileTaker, ItemTraffic } from "./item-traffic.ts";
import { createPlayer } from "./replay/player.ts";
import { EndedEarlyError } from "./response-body.ts";
import { createBrowserPage, domOf, type Made } from "./page.ts";

export interface BrowserSessionOptions extends SessionOptions {
  readonly pool: BrowserPool;
  readonly guard: TargetGuard;
  readonly proxies?: Proxies | undefined;
  readonly isOwnHost: (site: string, host: string) => boolean;
}

type KeptBrowserPage = CollectSession["kept"]["pages"][number];

const EVIDENCE_MS = 3_000;

export const openBrowserSession = async (
  options: BrowserSessionOptions,
): Promise<CollectSession<"browser">> => {
  const { tools, limits, site, pool } = options;
  const clock = new ActiveClock();
  const lease = await pool.take(options);
  const { tab, gate } = lease;
  const moved = tab.egress?.begin(tools.signal);
  const traffic = new ItemTraffic({
    ...options,
    gate,
    clock,
    tab,
    isOwnHost: (host) => options.isOwnHost(site, host),
    proxyLogin: tab.egress,
    refusals: moved?.refused,
  });
  gate.assign(tab, traffic);
  const pages: KeptBrowserPage[] = [];
  const files: (KeptFile & { readonly name: string })[] = [];
  let isClosed = false;

  /** The gate does not see them. */
  const noteCookies = async (): Promise<void> => {
    if (await tab.hasCookies()) traffic.hasSecrets = true;
  };

  const resource = async (name: string, made: Made): Promise<void> => {
    const exchange = resourceExchange(made);
    await clock.untimed(tools.archive(exchange));
    if (!traffic.hasSecrets) await settledWithin(EVIDENCE_MS, noteCookies());
    pages.push(keptPage(name, exchange, traffic.document?.status ?? 200));
  };

  /** Waits for one file that the browser receives, or stores one that is made here. */
  const file = async (
    name: string,
    made: Made | undefined,
    start: () => Promise<void>,
  ): Promise<KeptFile> => {
    const { promise, resolve, reject } = Promise.withResolvers<KeptFile>();
    promise.catch(() => undefined);
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const endedEarly = (cause: Error, url: string): FailureError => {
      const kind = tab.isBroken || !tab.process.isConnected ? "browser" : "connection";
      return new FailureError({ kind, detail: cause.message, url }, { cause });
    };
    const store = async (
      head: Omit<Exchange, "body">,
      mediaType: string,
      bytes: AsyncIterable<Uint8Array>,
    ) => {
      const stored = await tools.archiveFile(head, bytes);
      return { url: pageUrlOf(head.url), mediaType, ...stored };
    };
    if (made) {
      const { body, ...head } = resourceExchange(made);
      const kept = await clock.untimed(store(head, made.mediaType, once(body)));
      files.push({ name, ...kept });
      return kept;
    }
    const taker: FileTaker = async ({ head, mediaType, bytes, cancel }) => {
      begin();
      try {
        resolve(
          await clock.within(
            limits.requestMs,
            tools.signal,
            store(head, mediaType, limited(bytes, limits.fileBytes, head.url)),
            () => timeout(limits.requestMs, head.url),
          ),
        );
      } catch (error) {
        reject(error instanceof EndedEarlyError ? endedEarly(error, head.url) : error);
      } finally {
        cancel();
      }
    };
    traffic.fileTaker = taker;
    traffic.forgetTrouble();
    try {
      await start();
      await clock.within(limits.requestMs, tools.signal, begun, () => {
        const isPending = traffic.pending > 0;
        const detail = isPending ? "the download did not start" : "no file arrived";
        return new FailureError(
          traffic.trouble ?? {
            kind: isPending ? "timeout" : "navigation",
            detail: `${detail} within ${limits.requestMs} ms`,
            url: tab.page.url(),
          },
        );
      });
      // From its first byte on it has its own time.
      const kept = await promise;
      files.push({ name, ...kept });
      return kept;
    } finally {
      traffic.fileTaker = undefined;
    }
  };

  const page = createBrowserPage({ tab, traffic, clock, limits, signal: tools.signal, site, resource, file });

  // For scrapers of kind `recording`.
  const player = createPlayer({
    tab,
    page,
    traffic,
    clock,
    limits,
    signal: tools.signal,
    site,
    resource,
    file,
  });

  const keep: Keep = {
    page() {
      throw new TypeError("keep.page takes a page of http. In a browser scraper, call page.keep(name)");
    },
    file: async (name, url) => await page.download(name, { url }),
  };

  const given = { page, player };
  return {
    tools: given,
    keep,
    kept: { pages, files },
    get requests() {
      return traffic.requests;
    },
    get bytes() {
      return moved?.received ?? 0;
    },
    get proxyBytes() {
      return options.route && moved?.proxyBytes;
    },
    get hasSecrets() {
      return traffic.hasSecrets;
    },
    async failed() {
      if (tab.isBroken) return;
      const dom = async (): Promise<void> => {
        const made = await domOf(tab, limits.decodedBytes);
        if ("body" in made) await resource("failed", made);
      };
      const picture = async (): Promise<void> => {
        const { data } = await tab.cdp.send("Page.captureScreenshot", { format: "jpeg", quality: 60 });
        const url = RESOURCE_PREFIXES.screenshot + tab.page.url();
        await resource("failed-screenshot", {
          url,
          mediaType: "image/jpeg",
          body: Buffer.from(data, "base64"),
        });
      };
      await settledWithin(EVIDENCE_MS, dom());
      await settledWithin(EVIDENCE_MS, picture());
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      lease.release(traffic);
      await traffic.settled();
    },
  };
};

const resourceExchange = ({ url, mediaType, body }: Made): Exchange => ({
  method: "GET",
  url,
  startedAt: Date.now(),
  requestHeaders: [],
  status: 200,
  statusText: "",
  responseHeaders: [["content-type", mediaType]],
  body,
  isResource: true,
});

const keptPage = (name: string, exchange: Exchange, status: number): KeptBrowserPage => {
  const page: KeptPage = {
    name,
    url: pageUrlOf(exchange.url),
    status,
    mediaType: readContentType(exchange.responseHeaders[0]![1]).mediaType,
    text: Buffer.from(exchange.body).toString(),
  };
  return { ...page, exchange };
};

const timeout = (ms: number, url: string): FailureError =>
  new FailureError({ kind: "timeout", detail: `the file was not complete within ${ms} ms`, url });

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}

async function* limited(
  bytes: AsyncIterable<Buffer>,
  most: number,
  url: string,
): AsyncGenerator<Uint8Array, void, void> {
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > most)
      throw new FailureError({ kind: "too-large", detail: `the file has more than ${most} bytes`, url });
    yield part;
  }
}
