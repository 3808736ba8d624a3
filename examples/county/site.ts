import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { parseSwitches, type Switch } from "./app/switches.ts";
import { closeServer, listenOnAll } from "./listen.ts";
import { DEFAULT_MANNERS, type Manners } from "./misbehave.ts";
import { DEFAULT_PARCELS, DEFAULT_SEED } from "./parcels.ts";
import { reply } from "./reply.ts";
import { openRequestLog } from "./request-log.ts";
import { type Layout, type Route, routesOf, visitOf } from "./routes.ts";
import { blockPage } from "./trouble-pages.ts";
import { parseTroubles, type Shares } from "./troubles.ts";
import { type Truth, truthOf, writeTruth } from "./truth.ts";

export interface CountyOptions {
  readonly parcels?: number | undefined;
  /** `all`, `none`, `timeout=2,block=1`, or the shares themselves. */
  readonly troubles?: string | Shares | undefined;
  readonly seed?: number | undefined;
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Listens on this many loopback addresses, 127.0.0.1 and up, at one port. */
  readonly hosts?: number | undefined;
  readonly manners?: Partial<Manners> | undefined;
  /** Visitors from these addresses get a block page. */
  readonly blocks?: readonly string[] | undefined;
  /** Seconds, for robots.txt. */
  readonly crawlDelay?: number | undefined;
  /** Changes the layout by itself once this many detail pages have been asked for. */
  readonly changeAfterItems?: number | undefined;
  readonly changeTo?: ChangedLayout | undefined;
  /** Troubles, truth and changes are those of the scripted variant, which is at `/app`. */
  readonly scripted?: boolean | undefined;
  /** Of the scripted variant: `signed,popup`, or a list. */
  readonly switches?: string | readonly Switch[] | undefined;
  /** Where to append one JSON line per request, written when it has ended. */
  readonly log?: string | undefined;
  /** Where to write one JSON line per parcel, before the site opens. */
  readonly truth?: string | undefined;
  /** Keeps every arrival in memory; on unless switched off. */
  readonly keepsArrivals?: boolean | undefined;
}

export type ChangedLayout = Exclude<Layout, "usual">;
type RequestCounts = Record<Route | "total", number>;

interface Arrival {
  /** Milliseconds since the epoch, from a monotonic clock. */
  readonly at: number;
  readonly host: string;
  readonly path: string;
  /** The visitor's address. */
  readonly from: string;
}

interface LayoutChange {
  readonly at: number;
  readonly layout: ChangedLayout;
  /** What had been asked for until then. */
  readonly before: Readonly<RequestCounts>;
}

export interface County extends AsyncDisposable {
  readonly url: string;
  readonly urls: readonly string[];
  readonly requests: Readonly<RequestCounts>;
  readonly arrivals: readonly Arrival[];
  /** Addresses that get a block page, to be changed at any time. */
  readonly blocked: Set<string>;
  /** The latest change of layout. */
  readonly change: LayoutChange | undefined;
  changeLayout(layout: ChangedLayout): void;
  /** By default of the variant that the county was opened for. */
  truth(of?: { readonly scripted: boolean }): Iterable<Truth>;
  close(): Promise<void>;
}

/** Opens a county tax office on loopback. Same options, same county: every parcel, every trouble. */
export async function startCounty(options: CountyOptions = {}): Promise<County> {
  const { troubles = "none", keepsArrivals = true, scripted = false, switches = "" } = options;
  const population = {
    scripted,
    seed: options.seed ?? DEFAULT_SEED,
    parcels: options.parcels ?? DEFAULT_PARCELS,
    troubles: typeof troubles === "string" ? parseTroubles(troubles, { scripted }) : troubles,
  };
  const switchedOn = parseSwitches(typeof switches === "string" ? switches : switches.join(","));
  if (switchedOn.has("iframe-other") && (options.hosts ?? 1) < 2) {
    throw new RangeError("switch iframe-other: needs a second host, hosts: 2");
  }
  if (options.truth !== undefined) writeTruth(options.truth, population);
  const log = options.log === undefined ? undefined : openRequestLog(options.log);

  const requests: RequestCounts = {
    total: 0,
    search: 0,
    results: 0,
    detail: 0,
    bill: 0,
    robots: 0,
    other: 0,
    "app-search": 0,
    "app-property": 0,
    "app-list": 0,
    "app-bill": 0,
    "api-search": 0,
    "api-property": 0,
    "api-list": 0,
    "api-ping": 0,
    asset: 0,
    kinds: 0,
  };
  const detailRoute = scripted ? "api-property" : "detail";
  const arrivals: Arrival[] = [];
  const unanswered = new Set<ServerResponse>();
  const blocked = new Set(options.blocks);
  let change: LayoutChange | undefined;

  const changeLayout = (layout: ChangedLayout) => {
    change = { at: now(), layout, before: { ...requests } };
    log?.write({ at: change.at, layout });
  };
  const answer = routesOf({
    ...population,
    manners: { ...DEFAULT_MANNERS, ...options.manners },
    layout: () => change?.layout ?? "usual",
    crawlDelay: options.crawlDelay,
    switches: switchedOn,
  });

  const listenerFor =
    (host: string): RequestListener =>
    (req: IncomingMessage, res: ServerResponse) => {
      const at = now();
      const visit = visitOf(req.url ?? "/");
      if (visit.route === detailRoute && requests[detailRoute] === options.changeAfterItems) {
        changeLayout(options.changeTo ?? "all");
      }
      requests.total++;
      requests[visit.route]++;
      const from = req.socket.remoteAddress ?? "";
      if (keepsArrivals) arrivals.push({ at, host, path: visit.path, from });
      unanswered.add(res);
      res.on("close", () => {
        unanswered.delete(res);
        const status = res.headersSent ? res.statusCode : 0;
        log?.write({ at, host, method: req.method, path: visit.path, parcel: visit.parcel ?? null, status });
      });
      if (blocked.has(from))
        return reply(res, 403, blockPage("tax.willow.example", "8d2f6c1b"), { server: "cloudflare" });
      // The site ignores visitors who hang up during a request.
      answer(visit, req, res).catch(() => res.destroy());
    };

  const hosts = hostsOf(options);
  const { port, servers } = await listenOnAll(hosts, options.port ?? 0, listenerFor);
  const urls = hosts.map((host) => `http://${host}:${port}`);

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= shut());
  async function shut(): Promise<void> {
    await Promise.all(servers.map(closeServer));
    // Cut off with their connections, but not yet in the log.
    await Promise.all(Array.from(unanswered, (res) => once(res, "close")));
    log?.close();
  }
  return {
    url: urls[0] ?? "",
    urls,
    requests,
    arrivals,
    blocked,
    get change() {
      return change;
    },
    changeLayout,
    truth: (of) => truthOf({ ...population, ...of }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const now = (): number => performance.timeOrigin + performance.now();

const hostsOf = ({ host = "127.0.0.1", hosts }: CountyOptions): string[] =>
  Array.from({ length: hosts ?? 1 }, (_, index) =>
    host.replace(/\d+$/, (last) => (index === 0 ? last : `${Number(last) + index}`)),
  );
