import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type BrowserSettings,
  openBrowserCollector,
} from "../../src/collectors/browser/browser-collector.ts";
import type { Proxies } from "../../src/collectors/proxy/proxies.ts";
import type { Exchange, StoredBody } from "../../src/domain/capture.ts";
import { collect, type Collected } from "../../src/pipeline/collect.ts";
import type {
  BrowserOptions,
  BrowserPage,
  Collector,
  Limits,
  ProxyRoute,
  RecordingPlayer,
} from "../../src/ports/collector.ts";
import { DEFAULT_LIMITS } from "../../src/scrapers/scraper.ts";
import type { CompiledScraper } from "../../src/scrapers/compiled-scraper.ts";

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** A site on loopback: answers by path, and what was asked. */
export const startSite = async (answers: Readonly<Record<string, string | Answer>>) => {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? "/", "http://site").pathname;
    asked.push(path);
    const answer = answers[path];
    if (typeof answer === "function") return answer(req, res);
    res.writeHead(answer === undefined ? 404 : 200, { "content-type": "text/html" });
    res.end(answer ?? "not here");
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export const asJson =
  (value: unknown): Answer =>
  (_, res) =>
    void res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));

interface ItemOptions {
  readonly limits?: Partial<Limits>;
  readonly browser?: BrowserOptions;
  readonly sharedBy?: string;
  readonly route?: ProxyRoute;
  readonly guardsTargets?: boolean;
  readonly controller?: AbortController;
  readonly gate?: (url: URL) => Promise<void>;
  /** Bodies that are stored, by their key. */
  readonly bodies?: Map<string, StoredBody>;
}

export type ItemResult = Collected & {
  readonly archived: readonly Exchange[];
  readonly files: readonly { readonly url: string; readonly size: number }[];
  readonly slots: readonly string[];
};

/** A collector with a real browser, and a way to run one item in it without a ledger. */
export const startBrowserKit = async (settings: BrowserSettings & { readonly proxies?: Proxies } = {}) => {
  const collector = await openBrowserCollector({
    tabs: 4,
    ...settings,
    userAgent: "sluice/test",
    allowTargets: [],
    domainOf: () => null,
  });
  const run = async (
    site: string,
    steps: (page: BrowserPage, player: RecordingPlayer) => Promise<void>,
    options: ItemOptions = {},
  ): Promise<ItemResult> => {
    const [archived, slots]: [Exchange[], string[]] = [[], []];
    const files: { url: string; size: number }[] = [];
    const collected = await collect({
      ready: {
        scraper: {
          name: "kit",
          site,
          input: undefined as never,
          browser: options.browser,
          collect: ({ page, player }: { page: BrowserPage; player: RecordingPlayer }) => steps(page, player),
        },
        limits: { ...DEFAULT_LIMITS, requestMs: 10_000, ...options.limits },
      } as unknown as CompiledScraper,
      collector: options.route ? routed(collector, options.route) : collector,
      input: {},
      attempt: 1,
      sharedBy: options.sharedBy ?? "job",
      ...(options.guardsTargets && { guardsTargets: true }),
      tools: {
        async gate(url) {
          await options.gate?.(url);
          slots.push(url.pathname);
        },
        async archive(exchange, key) {
          archived.push(exchange);
          const { startedAt: at, body } = exchange;
          if (key !== undefined) options.bodies?.set(key, { at, length: body.length, digest: "sha256:0" });
        },
        storedBody: (key) => options.bodies?.get(key),
        async archiveFile(head, body) {
          let size = 0;
          for await (const part of body) size += part.length;
          files.push({ url: head.url, size });
          return { size, digest: "sha256:0" };
        },
      },
      controller: options.controller ?? new AbortController(),
      onLate: () => undefined,
    });
    if (collected.ended === "failure") await collected.session.failed?.();
    await collected.session.close();
    return Object.assign(collected, { archived, files, slots });
  };
  return { run, collector, [Symbol.asyncDispose]: () => collector.close() };
};

const routed = (collector: Collector<"browser">, route: ProxyRoute): Collector<"browser"> => ({
  open: (session) => collector.open({ ...session, route }),
  close: () => collector.close(),
});

/** `kind` of a failure, or how else the item ended. */
export const endOf = (result: Collected): string =>
  result.ended === "failure" ? result.failure.kind : result.ended;
