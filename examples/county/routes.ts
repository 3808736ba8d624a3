import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type AppRoute, appRouteOf, appRoutesOf } from "./app/app-routes.ts";
import type { Switches } from "./app/switches.ts";
import { detailPage, redesignedDetailPage } from "./detail-page.ts";
import { type Listing, listingOf } from "./listing.ts";
import { type Manners, misbehaviour } from "./misbehave.ts";
import { BUTTON, messagePage, noResultsPage, resultsPage, SEARCH_TYPE, searchPage, YEAR } from "./pages.ts";
import { type Parcel, parcelNumber, parcelOf } from "./parcels.ts";
import { billPdf } from "./pdf.ts";
import { reply } from "./reply.ts";
import { openSessions, sessionCookie } from "./session.ts";
import { ERROR_PAGE, MENTION_NOTICE } from "./trouble-pages.ts";
import { assignTroubles, type Trouble } from "./troubles.ts";
import type { Population } from "./truth.ts";

/** usual, or changed: every field gone, three of ten gone, or a search that finds nothing any more. */
export type Layout = "usual" | "all" | "some" | "search";

/** What a request was for; also the keys under which requests are counted. */
export type Route = "search" | "results" | "detail" | "bill" | "robots" | "other" | AppRoute;

export interface Visit {
  readonly route: Route;
  readonly path: string;
  /** The parcel that was asked for, as soon as it is known. */
  parcel?: string;
}

export interface RouteOptions extends Population {
  readonly manners: Manners;
  /** Seconds, as robots.txt puts it. */
  readonly crawlDelay: number | undefined;
  readonly layout: () => Layout;
  /** Of the scripted variant. */
  readonly switches: Switches;
}

interface Found {
  readonly parcel: Parcel;
  readonly trouble: Trouble | undefined;
}

/** Looks at the address only: what is this request for? */
export function visitOf(url: string): Visit {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  switch (path) {
    case "/":
    case "/search":
    case "/search.aspx":
      return { route: "search", path };
    case "/results.aspx":
      return { route: "results", path, ...parcelIn(url) };
    case "/property/detail.aspx":
      return { route: "detail", path, ...parcelIn(url) };
    case "/robots.txt":
      return { route: "robots", path };
    default:
      return path.startsWith("/bills/")
        ? { route: "bill", path, ...parcelIn(path) }
        : { route: appRouteOf(path) ?? "other", path };
  }
}

export function routesOf(options: RouteOptions) {
  const { seed, parcels, troubles, layout } = options;
  const sessions = openSessions(seed);
  const troubleOf = assignTroubles(seed, troubles);
  const misbehave = misbehaviour(options.manners);

  const find = (id: string | undefined): Found | undefined =>
    id === undefined || !/^\d{10}$/.test(id) ? undefined : findNumber(parcelNumber(seed, id));

  function findNumber(n: number): Found | undefined {
    if (n >= parcels) return undefined;
    const trouble = troubleOf(n);
    return trouble === "absent" ? undefined : { parcel: parcelOf(seed, n), trouble };
  }

  const app = appRoutesOf({ ...options, sessions, find: findNumber, findId: find });

  const results = (res: ServerResponse, found: Found | undefined) =>
    reply(
      res,
      200,
      found === undefined || layout() === "search" ? noResultsPage() : resultsPage(found.parcel),
    );

  async function search(req: IncomingMessage, res: ServerResponse, visit: Visit): Promise<void> {
    const known = sessions.read(req.headers.cookie);
    if (req.method !== "POST") {
      const session = known ?? sessions.start();
      const cookie = known === undefined ? { "set-cookie": sessionCookie(session) } : {};
      return reply(res, 200, searchPage(sessions, session), cookie);
    }
    const form = new URLSearchParams(await text(req));
    visit.parcel = form.get("parcel")?.trim() ?? "";
    if (known === undefined) {
      return reply(
        res,
        200,
        messagePage("Session expired", "Your session has expired. Please start a new search."),
      );
    }
    const isOurForm =
      form.get("__VIEWSTATE") === sessions.viewState(known) &&
      form.get("__EVENTVALIDATION") === sessions.eventValidation(known) &&
      form.has(YEAR) &&
      form.has(SEARCH_TYPE);
    if (!isOurForm) return reply(res, 500, ERROR_PAGE);
    // Without the pressed button no click event is raised: the page just comes again.
    if (!form.has(BUTTON)) return reply(res, 200, searchPage(sessions, known));
    const found = form.get(SEARCH_TYPE) === "parcel" ? find(visit.parcel) : undefined;
    if (found?.trouble === "redirect") {
      return reply(res, 302, "", { location: `/results.aspx?parcel=${found.parcel.id}` });
    }
    results(res, found);
  }

  function detail(res: ServerResponse, found: Found | undefined): void {
    if (found === undefined) return reply(res, 404, noResultsPage());
    const { parcel, trouble } = found;
    const page = () => pageOf(parcel, listingOf(seed, parcel, trouble), trouble, layout());
    if (trouble === undefined) reply(res, 200, page());
    else misbehave(trouble, parcel.n, res, page);
  }

  return async (visit: Visit, req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { route } = visit;
    switch (route) {
      case "search":
        return search(req, res, visit);
      case "results":
        return results(res, sessions.read(req.headers.cookie) === undefined ? undefined : find(visit.parcel));
      case "detail":
        return detail(res, find(visit.parcel));
      case "bill": {
        const found = find(visit.parcel);
        if (found === undefined) return reply(res, 404, messagePage("Not found", "There is no such bill."));
        return reply(res, 200, billPdf(found.parcel), { "content-type": "application/pdf" });
      }
      case "robots":
        return reply(res, 200, robotsTxt(options.crawlDelay), { "content-type": "text/plain" });
      case "other":
        return visit.path.startsWith("/private")
          ? reply(res, 200, messagePage("Staff only", "Robots were asked to stay away from here."))
          : reply(res, 404, messagePage("Not found", "The page you asked for does not exist."));
      case "app-search":
      case "app-property":
      case "app-list":
      case "app-bill":
      case "api-search":
      case "api-property":
      case "api-list":
      case "api-ping":
      case "asset":
      case "kinds":
        return app(route, visit, req, res);
      default:
        route satisfies never;
    }
  };
}

function pageOf(parcel: Parcel, listing: Listing, trouble: Trouble | undefined, layout: Layout): string {
  if (trouble === "changed" || layout === "all") return redesignedDetailPage(parcel);
  return detailPage(parcel, listing, {
    isHalfChanged: layout === "some",
    ...(trouble === "mention" ? { notice: MENTION_NOTICE } : {}),
  });
}

function parcelIn(url: string): { parcel?: string } {
  const id = /(?:[?&]parcel=|^\/bills\/)(\d{10})(?!\d)/.exec(url)?.[1];
  return id === undefined ? {} : { parcel: id };
}

const robotsTxt = (crawlDelay: number | undefined): string =>
  `User-agent: *\nDisallow: /private\n${crawlDelay === undefined ? "" : `Crawl-delay: ${crawlDelay}\n`}`;
