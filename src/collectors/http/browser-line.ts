import type { EgressProxy, EgressSession, Traffic } from "../egress/egress-proxy.ts";
import type { OpenTarget } from "../egress/open-socket.ts";
import { SocketMeter } from "../proxy/socket-meter.ts";
import type { MakeClient } from "./load-impit.ts";
import type { WireMeter } from "./wire.ts";

interface LineOptions {
  /** Lines with the same key are alike. */
  readonly key: string;
  readonly egress: EgressProxy;
  readonly isGuarded: boolean;
  /** Through a provider's proxy. */
  readonly openTarget?: OpenTarget | undefined;
  readonly makeClient: MakeClient;
}

/** Named: plain `chrome` is a version of 2024. */
const PROFILE = "chrome151";

/**
 * A client of impit with its own session of the egress proxy. It serves one request at a time, so that bytes and refusals belong to that request, and
 * cutting it cuts nothing else. Its connection stays open for the next one.
 */
export class BrowserLine {
  readonly key: string;
  readonly client: ReturnType<MakeClient>;
  /** Connections to the proxy besides those of the session. */
  readonly others = new SocketMeter();
  readonly #session: EgressSession;
  #traffic: Traffic;
  #counted = 0;
  #meter: WireMeter | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ key, egress, isGuarded, openTarget, makeClient }: LineOptions) {
    this.key = key;
    // What its clients send is not a browser's: there is nothing to tell from WebSockets.
    this.#session = egress.open({ isGuarded, allowsWebSockets: true, ...(openTarget && { openTarget }) });
    this.#traffic = this.#session.begin();
    const { username, password } = this.#session;
    const { host } = new URL(egress.url);
    const proxyUrl = `http://${username}:${password}@${host}`;
    this.client = makeClient({ browser: PROFILE, followRedirects: false, proxyUrl });
  }

  begin(): Traffic {
    clearTimeout(this.#timer);
    this.#countRest();
    this.#counted = this.others.moved;
    return (this.#traffic = this.#session.begin());
  }

  /** Adds what was moved to and from the provider's proxy since it was last called. */
  countInto(meter: WireMeter): void {
    const moved = this.#traffic.proxyBytes + this.others.moved;
    meter.proxyBytes = (meter.proxyBytes ?? 0) + moved - this.#counted;
    this.#counted = moved;
    this.#meter = meter;
  }

  closeAfter(ms: number, onClose: () => void): void {
    this.#timer = setTimeout(onClose, ms).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#session.close();
    this.#countRest();
  }

  /** What came after the last request belongs to it. */
  #countRest(): void {
    if (this.#meter) this.countInto(this.#meter);
    this.#meter = undefined;
  }
}
