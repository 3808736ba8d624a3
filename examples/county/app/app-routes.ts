import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listingOf } from "../listing.ts";
import { endlessly, type Manners, misbehaviour } from "../misbehave.ts";
import { messagePage } from "../pages.ts";
import type { Parcel } from "../parcels.ts";
import { billPdf } from "../pdf.ts";
import { reply } from "../reply.ts";
import type { Layout, Visit } from "../routes.ts";
import { sessionCookie, type Sessions } from "../session.ts";
import type { Trouble } from "../troubles.ts";
import { listShell, propertyShell, searchShell } from "./app-pages.ts";
import { replyWithAsset } from "./assets.ts";
import { propertyJson } from "./property-json.ts";
import { numberOfReference, referenceOf } from "./reference.ts";
import { replyToKind } from "./request-kinds.ts";
import type { Switches } from "./switches.ts";
import { isSigned, openTokens } from "./tokens.ts";

/** What a request to the scripted variant was for. */
export type AppRoute =
  | "app-search"
  | "app-property"
  | "app-list"
  | "app-bill"
  | "api-search"
  | "api-property"
  | "api-list"
  | "api-ping"
  | "asset"
  | "kinds";

const EXACT: Readonly<Record<string, AppRoute>> = {
  "/app": "app-search",
  "/app/property": "app-property",
  "/app/frame": "app-property",
  "/app/list": "app-list",
  "/api/search": "api-search",
  "/api/results": "api-search",
  "/api/list": "api-list",
  "/api/ping": "api-ping",
};
const STARTS: readonly (readonly [string, AppRoute])[] = [
  ["/api/property/", "api-property"],
  ["/app/bills/", "app-bill"],
  ["/assets/", "asset"],
  ["/kinds", "kinds"],
];

export const appRouteOf = (path: string): AppRoute | undefined =>
  (Object.hasOwn(EXACT, path) ? EXACT[path] : undefined) ??
  STARTS.find(([start]) => path.startsWith(start))?.[1];

interface Found {
  readonly parcel: Parcel;
  readonly trouble: Trouble | undefined;
}

export interface AppOptions {
  readonly seed: number;
  readonly parcels: number;
  readonly manners: Manners;
  readonly layout: () => Layout;
  readonly switches: Switches;
  readonly sessions: Sessions;
  /** Undefined for what the county does not have, or says that it does not have. */
  readonly find: (n: number) => Found | undefined;
  readonly findId: (id: string) => Found | undefined;
}

/** These come instead of the property's document; all others happen to the script's request, or in the script. */
const OF_DOCUMENT: ReadonlySet<Trouble> = new Set([
  "unavailable",
  "block",
  "captcha",
  "maintenance",
  "trickle",
  "huge",
  "bomb",
]);

const JSON_TYPE = "application/json; charset=utf-8";
const LIST_BATCH = 40;

/** The scripted variant: pages without content, and the API that their script asks. */
export function appRoutesOf(options: AppOptions) {
  const { seed, parcels, manners, layout, switches, sessions, find, findId } = options;
  const misbehave = misbehaviour(manners);
  const tokens = openTokens(seed, switches.has("one-time"));

  const findReference = (reference: string): Found | undefined => {
    const n = numberOfReference(seed, reference);
    return n === undefined ? undefined : find(n);
  };
  const hitOf = ({ parcel: { n, id, owner } }: Found) => ({
    parcel: id,
    owner,
    reference: referenceOf(seed, n),
  });

  function searchDocument(req: IncomingMessage, res: ServerResponse): void {
    const known = sessions.read(req.headers.cookie);
    const session = known ?? sessions.start();
    const cookie = known === undefined ? { "set-cookie": sessionCookie(session) } : {};
    reply(res, 200, searchShell(tokens.issue(session), switches), { ...cookie, "cache-control": "no-store" });
  }

  async function search(req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> {
    const query = queryOf(req);
    // The second half of a redirected search.
    if (req.method !== "POST") return hits(res, findId(query.get("parcel") ?? ""));
    const asked = readStrings(await text(req));
    visit.parcel = asked["parcel"] ?? "";
    const session = sessions.read(req.headers.cookie);
    if (session === undefined) return refuse(res, 401, "session");
    const sent = { csrf: String(req.headers["x-csrf-token"] ?? ""), form: asked["form"] ?? "" };
    if (!tokens.accept(session, sent)) return refuse(res, 403, "token");
    const found = findId(visit.parcel);
    if (found?.trouble === "redirect") {
      return reply(res, 302, "", { location: `/api/results?parcel=${found.parcel.id}` });
    }
    hits(res, found);
  }

  const hits = (res: ServerResponse, found: Found | undefined): void => {
    const isFound = found !== undefined && layout() !== "search";
    replyJson(res, 200, {
      hits: isFound ? [hitOf(found)] : [],
      ...(isFound && found.trouble === "unload" && { unsaved: true }),
    });
  };

  function propertyDocument(req: IncomingMessage, res: ServerResponse, visit: Visit): void {
    const reference = queryOf(req).get("ref") ?? "";
    const found = findReference(reference);
    if (found === undefined) return reply(res, 404, messagePage("Not found", "There is no such property."));
    visit.parcel = found.parcel.id;
    const frame = visit.path === "/app/frame" ? undefined : frameOf(reference, req);
    const page = () => propertyShell(reference, switches, frame);
    if (found.trouble === undefined || !OF_DOCUMENT.has(found.trouble)) reply(res, 200, page());
    else misbehave(found.trouble, found.parcel.n, res, page);
  }

  const frameOf = (reference: string, req: IncomingMessage): string | undefined => {
    const path = `/app/frame?ref=${encodeURIComponent(reference)}`;
    if (switches.has("iframe-other")) return `${otherOrigin(req)}${path}`;
    return switches.has("iframe") ? path : undefined;
  };

  function property(req: IncomingMessage, res: ServerResponse, visit: Visit): void {
    const reference = decode(visit.path.slice("/api/property/".length));
    const found = findReference(reference);
    if (found === undefined) return refuse(res, 404, "reference");
    const { parcel, trouble } = found;
    visit.parcel = parcel.id;
    if (switches.has("signed") && !isSigned(reference, queryOf(req).get("sig"), Date.now())) {
      return refuse(res, 403, "signature");
    }
    const json = () =>
      propertyJson({
        parcel,
        listing: listingOf(seed, parcel, trouble),
        trouble,
        layout: layout(),
        popups: manners.popups,
      });
    if (trouble === undefined || OF_DOCUMENT.has(trouble)) {
      reply(res, 200, json(), { "content-type": JSON_TYPE, "cache-control": "no-store" });
    } else {
      misbehave(trouble, parcel.n, res, json, JSON_TYPE);
    }
  }

  function list(req: IncomingMessage, res: ServerResponse): void {
    const from = Number(queryOf(req).get("from") ?? 0);
    const batch = Array.from({ length: Math.min(LIST_BATCH, Math.max(0, parcels - from)) }, (_, i) =>
      find(from + i),
    );
    const next = from + LIST_BATCH < parcels ? from + LIST_BATCH : null;
    replyJson(res, 200, { hits: batch.filter((found) => found !== undefined).map(hitOf), next });
  }

  function bill(res: ServerResponse, visit: Visit): void {
    const found = findId(visit.path.slice("/app/bills/".length, -".pdf".length));
    if (found === undefined) return reply(res, 404, messagePage("Not found", "There is no such bill."));
    visit.parcel = found.parcel.id;
    const type = { "content-type": "application/pdf" };
    if (found.trouble !== "endless") return reply(res, 200, billPdf(found.parcel), type);
    res.writeHead(200, type);
    endlessly(res, "%PDF-1.4\n", "% and so on\n", manners.holdMs);
  }

  return async (route: AppRoute, visit: Visit, req: IncomingMessage, res: ServerResponse): Promise<void> => {
    switch (route) {
      case "app-search":
        return searchDocument(req, res);
      case "app-property":
        return propertyDocument(req, res, visit);
      case "app-list":
        return reply(res, 200, listShell(switches));
      case "app-bill":
        return bill(res, visit);
      case "api-search":
        return search(req, res, visit);
      case "api-property":
        return property(req, res, visit);
      case "api-list":
        return list(req, res);
      case "api-ping":
        return reply(res, 204, "");
      case "asset":
        if (!replyWithAsset(visit.path, req, res)) reply(res, 404, "");
        return;
      case "kinds":
        return replyToKind(visit.path, res, otherOrigin(req));
      default:
        route satisfies never;
    }
  };
}

const queryOf = (req: IncomingMessage): URLSearchParams => {
  const url = req.url ?? "/";
  return new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "");
};

/** The second of the county's hosts, or the first if it is asked for there. */
const otherOrigin = ({ headers: { host = "" } }: IncomingMessage): string =>
  `http://${host.replace(/\d+(?=:|$)/, (last) => String(last === "1" ? 2 : 1))}`;

const replyJson = (res: ServerResponse, status: number, value: unknown): void =>
  reply(res, status, JSON.stringify(value), { "content-type": JSON_TYPE, "cache-control": "no-store" });

const refuse = (res: ServerResponse, status: number, what: string): void =>
  replyJson(res, status, { error: `The ${what} is missing, unknown or no longer valid.` });

const decode = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return "";
  }
};

/** The strings of a JSON object; everything else is left out. */
const readStrings = (json: string): Record<string, string> => {
  try {
    const entries = Object.entries(JSON.parse(json) as object);
    return Object.fromEntries(entries.filter(([, value]) => typeof value === "string"));
  } catch {
    return {};
  }
};
