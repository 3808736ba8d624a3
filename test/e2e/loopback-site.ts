import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A small loopback site that counts requests. It has no robots.txt unless the test gives one. */
export class LoopbackSite implements AsyncDisposable {
  /** Paths of pages in order of arrival, without robots.txt. */
  readonly arrived: string[] = [];
  robotsFetches = 0;
  readonly #server: Server;
  #isAnswering = true;
  readonly #open: (() => void)[] = [];
  readonly #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor(robots: string | undefined) {
    this.#server = createServer((request, response) => {
      if (request.url === "/robots.txt") {
        this.robotsFetches++;
        response.writeHead(robots === undefined ? 404 : 200, { "content-type": "text/plain" }).end(robots);
        return;
      }
      this.arrived.push(request.url!);
      for (const { count, resolve } of this.#waiting) if (this.arrived.length >= count) resolve();
      const respond = () => void response.setHeader("content-type", "text/html").end(`<b>${request.url}</b>`);
      if (this.#isAnswering) respond();
      else this.#open.push(respond);
    });
  }

  /** While it is paused, requests stay open. They are answered when it resumes. */
  set isAnswering(isAnswering: boolean) {
    this.#isAnswering = isAnswering;
    if (isAnswering) for (const respond of this.#open.splice(0)) respond();
  }

  static async open(robots?: string): Promise<LoopbackSite> {
    const site = new LoopbackSite(robots);
    // A test that timed out does not close it. Its file must end anyway.
    await once(site.#server.listen(0, "127.0.0.1").unref(), "listening");
    return site;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resolves when this many requests have arrived. */
  async arrivals(count: number): Promise<void> {
    if (this.arrived.length < count)
      await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Writes a file of URLs of this site. */
  writeUrls(file: string, paths: readonly string[]): string {
    writeFileSync(file, paths.map((path) => `${this.url}${path}\n`).join(""));
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
