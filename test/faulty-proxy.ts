import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  request as ask,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** Shares of the requests; the rest passes. */
export interface Faults {
  /** Answered 503 and not passed on. */
  readonly refused?: number;
  /** The connection breaks in the middle of the request's body. */
  readonly cutUploads?: number;
  /** Passed on, and the connection breaks before the answer. */
  readonly lostAnswers?: number;
  /** The connection breaks in the middle of the answer's body. */
  readonly cutAnswers?: number;
  /** Wait `slowMs` before the answer. */
  readonly slow?: number;
  readonly slowMs?: number;
}

type Fault = "refused" | "cutUploads" | "lostAnswers" | "cutAnswers" | "slow";
const FAULTS: readonly Fault[] = ["refused", "cutUploads", "lostAnswers", "cutAnswers", "slow"];

/** An HTTP server in front of another that does to some requests what networks and busy stores do. */
export class FaultyProxy implements AsyncDisposable {
  /** How often each fault was played. */
  readonly played: Record<Fault, number> = {
    refused: 0,
    cutUploads: 0,
    lostAnswers: 0,
    cutAnswers: 0,
    slow: 0,
  };
  /** Method and path of what was passed on. */
  readonly passed: { readonly method: string; readonly path: string }[] = [];
  faults: Faults;
  readonly #target: URL;
  readonly #random: () => number;
  readonly #server: Server;

  private constructor(target: string, faults: Faults, random: () => number) {
    this.#target = new URL(target);
    this.#random = random;
    this.faults = faults;
    this.#server = createServer((request, response) => void this.#pass(request, response));
  }

  /** `random` gives numbers in [0, 1). */
  static async open(
    target: string,
    faults: Faults,
    random: () => number = Math.random,
  ): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target, faults, random);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #choose(): Fault | undefined {
    let at = this.#random();
    for (const fault of FAULTS) {
      at -= this.faults[fault] ?? 0;
      if (at < 0) return fault;
    }
    return undefined;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = this.#choose();
    const { method = "", url: path = "", headers, socket } = request;
    if (fault) this.played[fault]++;
    if (fault === "refused") {
      request.resume();
      response.writeHead(503, { "content-type": "application/xml", connection: "close" });
      return void response.end("<Error><Code>SlowDown</Code><Message>slow down</Message></Error>");
    }
    this.passed.push({ method, path });
    const { hostname, port } = this.#target;
    // Signatures cover the name of the host that was asked for.
    const out = ask({ hostname, port, method, path, headers, agent: false });
    out.on("error", () => socket.destroy());
    response.on("close", () => out.destroy());
    const half = Number(headers["content-length"] ?? 0) / 2;
    let sent = 0;
    request.on("data", (chunk: Buffer) => {
      sent += chunk.length;
      if (fault === "cutUploads" && sent > half) {
        socket.destroy();
        return;
      }
      if (!out.write(chunk)) {
        request.pause();
        out.once("drain", () => request.resume());
      }
    });
    request.on("end", () => out.end());
    const [answer] = (await once(out, "response").catch(() => [])) as [IncomingMessage?];
    if (!answer) return;
    if (fault === "slow") await delay(this.faults.slowMs ?? 0);
    if (fault === "lostAnswers") return void socket.destroy();
    response.writeHead(answer.statusCode!, answer.headers);
    const size = Number(answer.headers["content-length"] ?? 0);
    let given = 0;
    answer.on("error", () => socket.destroy());
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      given += chunk.length;
      if (fault === "cutAnswers" && given > size / 2) {
        response.write(chunk.subarray(0, chunk.length >> 1), () => socket.destroy());
        return;
      }
      if (!response.write(chunk)) await once(response, "drain").catch(() => undefined);
    }
    response.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }
}
