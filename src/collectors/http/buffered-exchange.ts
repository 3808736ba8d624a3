import type { Dispatcher } from "undici";
import { WireExchange } from "./wire-exchange.ts";
import type { ResponseHead } from "./response-head.ts";
import type { WireCaps, WireRequest, WireResponse } from "./wire.ts";

/** A request whose body is gathered in memory, up to the cap. */
export class BufferedExchange extends WireExchange {
  readonly response: Promise<WireResponse>;
  readonly #settle: PromiseWithResolvers<WireResponse> = Promise.withResolvers();
  readonly #chunks: Buffer[] = [];
  #head: ResponseHead | undefined;

  constructor(agent: Dispatcher, request: WireRequest, caps: WireCaps) {
    super(request, caps);
    this.response = this.#settle.promise;
    this.start(agent);
  }

  protected override onHead(head: ResponseHead): void {
    this.#head = head;
  }

  protected override onData(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  protected override onEnd(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#settle.resolve({ head: this.#head!, body });
  }

  protected override onError(error: Error): void {
    this.#settle.reject(error);
  }
}
