import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { NeighbourCall, Seen } from "./neighbour-thread.ts";

/** The thread of the other client and its site; see `neighbour-thread.ts`. */
export class Neighbour implements AsyncDisposable {
  readonly port: number;
  readonly #thread: Worker;
  readonly #requests: Seen["requests"][number][] = [];
  readonly #arrivals: Seen["arrivals"][number][] = [];

  private constructor(thread: Worker, port: number) {
    this.#thread = thread;
    this.port = port;
  }

  static async open(): Promise<Neighbour> {
    const thread = new Worker(new URL("./neighbour-thread.ts", import.meta.url));
    const [port] = (await once(thread, "message")) as [number];
    return new Neighbour(thread, port);
  }

  /** The site at one of the loopback addresses. Each address is its own lane. */
  siteAt(address: string): string {
    return `http://${address}:${this.port}`;
  }

  /** Starts to poll the status of its job. */
  ask(url: string, key: string, everyMs: number): void {
    this.#call({ ask: { url, key, everyMs } });
  }

  /** Everything seen so far. */
  async seen(): Promise<Seen> {
    this.#call({ take: true });
    const [{ requests, arrivals }] = (await once(this.#thread, "message")) as [Seen];
    this.#requests.push(...requests);
    this.#arrivals.push(...arrivals);
    return { requests: this.#requests, arrivals: this.#arrivals };
  }

  /** Number of requests for paths with this prefix. */
  async arrivals(path: string, sinceAt = 0): Promise<Seen["arrivals"]> {
    const { arrivals } = await this.seen();
    return arrivals.filter((one) => one.at >= sinceAt && one.path.startsWith(path));
  }

  #call(call: NeighbourCall): void {
    const port = this.#thread;
    port.postMessage(call);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.terminate();
  }
}

/** Milliseconds since the epoch, from the thread's clock, which no attack changes. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();
