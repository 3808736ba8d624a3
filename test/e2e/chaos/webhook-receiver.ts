import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

export interface Told {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Share of new events that it rejects. */
const REFUSED_SHARE = 0.1;
const CUT_SHARE = 0.1;

/**
 * A client's receiver of webhooks with moods: the first try of some events is answered with 500, that of others with a broken connection. It
 * believes only what the `standardwebhooks` package does.
 */
export class WebhookReceiver implements AsyncDisposable {
  /** The webhook's secret, known once the webhook exists. */
  secret = "";
  /** Accepted events by id. */
  readonly taken = new Map<string, Told>();
  readonly forged: string[] = [];
  tries = 0;
  refused = 0;
  /** Events that came again after they were accepted. */
  doubled = 0;
  readonly #seen = new Set<string>();
  readonly #random: () => number;
  readonly #server: Server;

  private constructor(random: () => number) {
    this.#random = random;
    // Senders are killed half-way on purpose.
    this.#server = createServer(
      (request, response) => void this.#answer(request, response).catch(() => response.destroy()),
    );
  }

  static async open(random: () => number): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(random);
    await once(receiver.#server.listen(0, "127.0.0.1"), "listening");
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  ofType(type: string): Told[] {
    return [...this.taken.values()].filter((told) => told.type === type);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.tries++;
    const id = String(request.headers["webhook-id"]);
    try {
      new Webhook(this.secret).verify(body, request.headers as Record<string, string>);
    } catch (error) {
      this.forged.push(`${id}: ${String(error)}`);
      return void response.writeHead(400).end();
    }
    const mood = this.#seen.has(id) ? 1 : this.#random();
    this.#seen.add(id);
    if (mood < REFUSED_SHARE + CUT_SHARE) {
      this.refused++;
      if (mood < REFUSED_SHARE) return void response.writeHead(500).end();
      return void response.destroy();
    }
    if (this.taken.has(id)) this.doubled++;
    const { type, timestamp: at, data } = JSON.parse(body) as Omit<Told, "id" | "at"> & { timestamp: string };
    this.taken.set(id, { id, type, at, data });
    response.writeHead(204).end();
  }
}
