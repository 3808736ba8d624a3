import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { gzipBomb } from "./bomb.ts";
import { reply } from "./reply.ts";
import { blockPage, CAPTCHA_PAGE, ERROR_PAGE, MAINTENANCE_PAGE, THROTTLE_PAGE } from "./trouble-pages.ts";
import type { Trouble } from "./troubles.ts";

/** How bad the bad answers are. A hold must outlast the scraper's timeout, or a timeout becomes a broken connection. */
export interface Manners {
  /** How long an answer that never comes is held back before the site hangs up. */
  readonly holdMs: number;
  /** How long a slow page takes that does arrive. */
  readonly dripMs: number;
  readonly retryAfterSeconds: number;
  readonly hugeMegabytes: number;
  readonly bombMegabytes: number;
  /** Requests of a parcel's detail page that fail before a passing trouble has passed. */
  readonly failingRequests: number;
  /** Windows that a script opens before it shows the property. */
  readonly popups: number;
}

export const DEFAULT_MANNERS: Manners = {
  holdMs: 300_000,
  dripMs: 1000,
  retryAfterSeconds: 1,
  hugeMegabytes: 256,
  bombMegabytes: 512,
  failingRequests: 1,
  popups: 8,
};

/** Answers the request for a troubled parcel's detail page; `page` is what a healthy one would have got, HTML unless `type` says otherwise. */
export type Misbehave = (
  trouble: Trouble,
  n: number,
  res: ServerResponse,
  page: () => string,
  type?: string,
) => void;

export function misbehaviour(manners: Manners): Misbehave {
  // Only of parcels whose trouble passes, so it stays small. Counted by request, whoever asked: a killed worker's
  // request counts like any other, and the final answer is the same.
  const asked = new Map<number, number>();
  let bomb: Buffer | undefined;

  const isStillFailing = (n: number): boolean => {
    const times = (asked.get(n) ?? 0) + 1;
    asked.set(n, times);
    return times <= manners.failingRequests;
  };

  return (trouble, n, res, page, type = HTML) => {
    const healthy = () => reply(res, 200, page(), { "content-type": type });
    switch (trouble) {
      case "timeout":
        return isStillFailing(n) ? hold(res, manners.holdMs) : healthy();
      case "reset":
        return isStillFailing(n) ? void res.socket?.resetAndDestroy() : healthy();
      case "throttle":
        return isStillFailing(n)
          ? reply(res, 429, THROTTLE_PAGE, { "retry-after": String(manners.retryAfterSeconds) })
          : healthy();
      case "unavailable":
        return isStillFailing(n) ? reply(res, 503, MAINTENANCE_PAGE) : healthy();
      case "error":
        return isStillFailing(n) ? reply(res, 500, ERROR_PAGE) : healthy();
      case "drip":
        return drip(res, page(), type, manners.dripMs);
      case "block":
        return reply(res, 403, blockPage("tax.willow.example", ray(n)), {
          server: "cloudflare",
          "cf-ray": `${ray(n)}-DFW`,
        });
      case "captcha":
        return reply(res, 200, CAPTCHA_PAGE);
      case "maintenance":
        return reply(res, 503, MAINTENANCE_PAGE);
      case "hang":
        return hold(res, manners.holdMs);
      case "trickle":
        return trickle(res, page(), manners.holdMs);
      case "huge":
        return flood(res, page(), manners.hugeMegabytes);
      case "bomb":
        bomb ??= gzipBomb(manners.bombMegabytes);
        res.writeHead(200, {
          "content-type": HTML,
          "content-encoding": "gzip",
          "content-length": bomb.length,
        });
        res.end(bomb);
        return;
      // These are in what the page says or in the search before it, not in how it is delivered.
      case "changed":
      case "absent":
      case "rows-gone":
      case "placeholder":
      case "malformed":
      case "mention":
      case "redirect":
      case "loop":
      case "endless":
      case "dialogs":
      case "unload":
      case "popups":
        return healthy();
      default:
        trouble satisfies never;
    }
  };
}

const HTML = "text/html; charset=utf-8";
const DRIPS = 10;
const TRICKLE_PAUSE_MS = 100;

const ray = (n: number): string => (n + 0x7a31c0de4f).toString(16).padStart(16, "8");

function hold(res: ServerResponse, holdMs: number): void {
  const timer = setTimeout(() => res.destroy(), holdMs);
  res.on("close", () => clearTimeout(timer));
}

function drip(res: ServerResponse, page: string, type: string, dripMs: number): void {
  const bytes = Buffer.from(page);
  const size = Math.ceil(bytes.length / DRIPS);
  res.writeHead(200, { "content-type": type, "content-length": bytes.length });
  let sent = 0;
  const timer = setInterval(() => {
    res.write(bytes.subarray(sent, sent + size));
    sent += size;
    if (sent < bytes.length) return;
    clearInterval(timer);
    res.end();
  }, dripMs / DRIPS);
  res.on("close", () => clearInterval(timer));
}

/** A page that never ends and is never silent for long. */
function trickle(res: ServerResponse, page: string, holdMs: number): void {
  res.writeHead(200, { "content-type": HTML });
  endlessly(res, page.slice(0, page.indexOf("<body>")), "<!-- loading -->\n", holdMs);
}

/** Writes the start at once and the rest again and again. The head has been sent before. */
export function endlessly(res: ServerResponse, start: string, rest: string, holdMs: number): void {
  res.write(start);
  const timer = setInterval(() => res.write(rest), TRICKLE_PAUSE_MS);
  res.on("close", () => clearInterval(timer));
  hold(res, holdMs);
}

function flood(res: ServerResponse, page: string, megabytes: number): void {
  const chunk = Buffer.from("<tr><td>account</td><td>0.00</td></tr>\n".repeat(1700)).subarray(0, 65_536);
  function* body() {
    yield Buffer.from(page);
    for (let i = 0; i < megabytes * 16; i++) yield chunk;
  }
  res.writeHead(200, { "content-type": HTML });
  const source = Readable.from(body());
  res.on("close", () => source.destroy());
  source.pipe(res);
}
