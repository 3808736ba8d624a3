/**
 * The other client, and the site that it has pages fetched from, on a thread of their own: what the attacking side costs the event loop of the bench
 * must not count as waiting. Times are milliseconds since the epoch, the same on all threads.
 */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

/** What the bench asks the thread for. */
export type NeighbourCall =
  | { readonly ask: { readonly url: string; readonly key: string; readonly everyMs: number } }
  | { readonly take: true };

/** What the thread has seen since it was last asked. */
export interface Seen {
  readonly requests: readonly {
    readonly at: number;
    readonly ms: number;
    readonly problem: string | undefined;
  }[];
  /** Requests that the site got: when, for which path and host. */
  readonly arrivals: readonly { readonly at: number; readonly path: string; readonly host: string }[];
}

const MOST_OPEN = 50;
const port = parentPort!;
const nowMs = (): number => performance.timeOrigin + performance.now();

let requests: Seen["requests"][number][] = [];
let arrivals: Seen["arrivals"][number][] = [];

const site = http.createServer((request, response) => {
  const [, name = "", detail = ""] = request.url!.split("/");
  if (name === "robots.txt") return void response.writeHead(404).end();
  arrivals.push({ at: nowMs(), path: request.url!, host: request.headers.host ?? "" });
  if (name === "hang") return;
  if (name === "later") return void response.writeHead(429, { "retry-after": detail }).end();
  if (name === "hook") return void request.resume().once("end", () => response.writeHead(204).end());
  response.setHeader("content-type", "text/html").end(page(name, detail));
});

/** A listing links to as many pages as its path says. */
const page = (name: string, detail: string): string =>
  name === "listing"
    ? Array.from({ length: Number(detail) }, (_, n) => `<li><a href="/listed/${n}">${n}</a></li>`).join("")
    : `<b>${detail}</b>`;

const agent = new http.Agent({ keepAlive: true, maxSockets: MOST_OPEN });
let open = 0;

const askOnce = (url: string, key: string): void => {
  const at = nowMs();
  const begunAt = performance.now();
  const end = (problem: string | undefined): void => {
    open--;
    requests.push({ at, ms: performance.now() - begunAt, problem });
  };
  open++;
  const options = { agent, localAddress: "127.0.0.3", headers: { authorization: `Bearer ${key}` } };
  const request = http
    .get(url, options, (response) => {
      const problem = response.statusCode === 200 ? undefined : `it was answered ${response.statusCode}`;
      response
        .resume()
        .once("end", () => end(problem))
        .once("error", (error) => end(String(error)));
    })
    .once("error", (error: NodeJS.ErrnoException) => {
      // The server closed an idle connection at the moment of its reuse: that is no refusal.
      if (!request.reusedSocket || error.code !== "ECONNRESET") return end(String(error));
      open--;
      askOnce(url, key);
    });
};

port.on("message", (call: NeighbourCall) => {
  if ("take" in call) {
    port.postMessage({ requests, arrivals } satisfies Seen);
    requests = [];
    arrivals = [];
    return;
  }
  const { url, key, everyMs } = call.ask;
  setInterval(() => {
    if (open < MOST_OPEN) askOnce(url, key);
  }, everyMs);
});

// All addresses of loopback: attacks have lanes of their own there.
site.listen(0, "0.0.0.0", () => port.postMessage((site.address() as AddressInfo).port));
