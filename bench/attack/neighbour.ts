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

  /** The site, at one of the machine's own addresses: each is a lane of its own. */
  siteAt(address: string): string {
    return `http://${address}:${this.port}`;
  }

  /** From now on it asks how its job is, over and over. */
  ask(url: string, key: string): void {
    this.#call({ ask: { url, key } });
  }

  /** All that was seen so far. */
  async seen(): Promise<Seen> {
    this.#call({ take: true });
    const [{ requests, arrivals }] = (await once(this.#thread, "message")) as [Seen];
    this.#requests.push(...requests);
    this.#arrivals.push(...arrivals);
    return { requests: this.#requests, arrivals: this.#arrivals };
  }

  /** How many requests for paths that begin so the site has had. */
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

/** Milliseconds since the epoch as the thread has them: one clock that nobody sets while it runs. */
export const steadyNow = (): number => performance.timeOrigin + performance.now();
