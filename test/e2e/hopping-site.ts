import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

interface Manners {
  /** How long each answer takes. */
  readonly answerMs?: number;
}

/** Requested by the test itself and not counted. */
const MARK = "/mark";

/** A site on which every item takes a page, a redirect, its target, and a file. It counts requests. */
export class HoppingSite implements AsyncDisposable {
  static readonly requestsPerItem = 4;
  /** A scraper for it. It reads the address from HOPPING_URL. */
  static readonly scraper = `
    import { defineScraper } from "sluice";
    import { z } from "zod";
    export default defineScraper({
      name: "hopping",
      site: process.env["HOPPING_URL"],
      input: z.object({ n: z.string() }),
      key: ({ n }) => n,
      robots: "ignore",
      pace: { perSecond: 400, concurrency: 8 },
      async collect({ input, http, keep }) {
        await http.get("/start/" + input.n);
        keep.page("end", await http.get("/moved/" + input.n));
        await keep.file("bill", "/file/" + input.n);
      },
    });`;

  /** Paths, in order of arrival. */
  readonly arrived: string[] = [];
  readonly #server: Server;
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  answerMs: number;

  private constructor({ answerMs = 0 }: Manners) {
    this.answerMs = answerMs;
    this.#server = createServer((request, response) => void this.#answer(request.url!, response));
  }

  async #answer(path: string, response: ServerResponse): Promise<void> {
    if (path === MARK) return void response.end();
    this.arrived.push(path);
    for (const { count, resolve } of this.#waiting) if (this.arrived.length >= count) resolve();
    await delay(this.answerMs);
    if (path.startsWith("/moved/")) response.writeHead(302, { location: path.replace("moved", "end") }).end();
    else if (path.startsWith("/file/")) response.setHeader("content-type", "application/pdf").end("%PDF");
    else response.setHeader("content-type", "text/html").end(`<b>${path}</b>`);
  }

  static async open(manners: Manners = {}): Promise<HoppingSite> {
    const site = new HoppingSite(manners);
    // A test that timed out does not close it. Its file must end anyway.
    await once(site.#server.listen(0, "127.0.0.1").unref(), "listening");
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Items whose last request has arrived. */
  get wholeItems(): number {
    return this.arrived.filter((path) => path.startsWith("/file/")).length;
  }

  /** Resolves when this many requests have arrived. */
  async arrivals(count: number): Promise<void> {
    if (this.arrived.length < count)
      await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  /**
   * How many requests had left by now, also those that this process has not read yet: a connection that is opened after theirs, and a request on
   * it, are read after them.
   */
  async departed(): Promise<number> {
    const [response] = (await once(get(`${this.url}${MARK}`, { agent: false }), "response")) as [
      IncomingMessage,
    ];
    await once(response.resume(), "end");
    return this.arrived.length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
