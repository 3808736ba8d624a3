import type { RequestListener, ServerResponse } from "node:http";
import { closeServer, listenOnAll } from "../county/listen.ts";
import { faultOf } from "./faults.ts";
import { floodGate, type Patience } from "./flood-gate.ts";
import { cutPage, indexPage, listingPage, messagePage, portalPage, townPage } from "./pages.ts";
import { REGIONS } from "./regions.ts";
import { type Town, TOWNS, townsOf } from "./towns.ts";

export interface MayorsOptions extends Partial<Patience> {
  readonly towns?: number;
  readonly port?: number;
}

export interface Mayors extends AsyncDisposable {
  readonly url: string;
  /** Requests that arrived, and those of them that were left without an answer. */
  readonly requests: { readonly total: number; readonly unanswered: number };
  close(): Promise<void>;
}

/** As the real one was seen to do: more than 4,000 requests in a minute, and it answers nobody. */
export const PATIENCE: Patience = { limit: 4000, windowMs: 60_000 };
const ROWS_PER_PAGE = 100;
const HOST = "127.0.0.1";

/** Opens the site on loopback. Same number of towns, same site. */
export async function startMayors({
  towns = TOWNS,
  port = 0,
  limit = PATIENCE.limit,
  windowMs = PATIENCE.windowMs,
}: MayorsOptions = {}): Promise<Mayors> {
  const country = townsOf(towns);
  const townAt = new Map(country.map((town) => [town.path, town]));
  const listings = new Map(
    REGIONS.map((region) => [`/region/${region.slug}`, listedIn(country, region.slug)]),
  );
  const gate = floodGate({ limit, windowMs });
  const requests = { total: 0, unanswered: 0 };

  const answer = (path: string, query: URLSearchParams, res: ServerResponse): void => {
    const town = townAt.get(path);
    if (town) return answerTown(town, res);
    const rows = listings.get(path);
    if (rows) {
      const page = Number(query.get("page") ?? 1);
      const region = REGIONS.find(({ slug }) => path === `/region/${slug}`)!;
      const [from, to] = [(page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE];
      const pages = Math.ceil(rows.length / ROWS_PER_PAGE);
      return reply(res, 200, listingPage(region, rows.slice(from, to), page, pages));
    }
    if (path === "/") return reply(res, 200, indexPage());
    return reply(res, 404, messagePage("Page introuvable"));
  };

  const listener: RequestListener = (req, res) => {
    requests.total++;
    if (gate.isFlooded(performance.now())) {
      requests.unanswered++;
      return; // and the visitor hangs up in the end
    }
    const { pathname, searchParams } = new URL(req.url ?? "/", `http://${HOST}`);
    answer(pathname, searchParams, res);
  };

  const { port: heard, servers } = await listenOnAll([HOST], port, () => listener);
  const close = async () => void (await Promise.all(servers.map(closeServer)));
  return { url: `http://${HOST}:${heard}`, requests, close, [Symbol.asyncDispose]: close };
}

/** A region's own towns, then those of its neighbour that lie on the border: these stand in two listings. */
function listedIn(country: readonly Town[], slug: string): readonly Town[] {
  const at = REGIONS.findIndex((region) => region.slug === slug);
  const neighbour = REGIONS[(at + 1) % REGIONS.length]!;
  return [
    ...country.filter(({ region }) => region.slug === slug),
    ...country.filter(({ region, n }) => region === neighbour && n % 23 === 3),
  ];
}

function answerTown(town: Town, res: ServerResponse): void {
  const fault = faultOf(town);
  switch (fault) {
    case undefined:
      return reply(res, 200, townPage(town));
    case "cut":
      return reply(res, 200, cutPage(town));
    case "portal":
      return reply(res, 200, portalPage(town));
    case "gone":
      return reply(res, 404, messagePage("Page introuvable"));
    case "error":
      return reply(res, 500, messagePage("Erreur interne"));
    default:
      fault satisfies never;
  }
}

function reply(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  res.end(body);
}
