import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { EgressProxy, EgressSession, Traffic } from "../egress/egress-proxy.ts";
import { openSocket, type OpenTarget } from "../egress/open-socket.ts";
import type { Target } from "../egress/request-head.ts";
import { SocketMeter } from "../proxy/socket-meter.ts";
import type { MakeClient } from "./load-impit.ts";
import type { WireMeter } from "./wire.ts";

interface LineOptions {
  /** Lines with the same key are alike. */
  readonly key: string;
  readonly egress: EgressProxy;
  readonly isGuarded: boolean;
  /** Through a provider's proxy. */
  readonly through?: OpenTarget | undefined;
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
  /** The last connection that was made, whether or not impit uses it yet. */
  #connection: Duplex | undefined;
  /** Created before impit requests it. */
  #ready: { readonly target: Target; readonly connection: Duplex } | undefined;
  readonly #isRouted: boolean;
  #traffic: Traffic;
  #counted = 0;
  #meter: WireMeter | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ key, egress, isGuarded, through, makeClient }: LineOptions) {
    this.key = key;
    this.#isRouted = through !== undefined;
    const openTarget: OpenTarget = async (target, options) => {
      const ready = this.#ready;
      this.#ready = undefined;
      if (ready && isOpen(ready.connection) && isSame(ready.target, target)) return ready.connection;
      ready?.connection.destroy();
      this.#connection = await (through ?? openSocket)(target, options);
      return this.#connection.on("error", () => undefined);
    };
    // impit opens none, so its tunnels need not be searched for them.
    this.#session = egress.open({ isGuarded, openTarget, allowsWebSockets: true });
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

  /** Connects, unless it is connected: a request takes its slot only then. */
  async connect(target: Target): Promise<void> {
    if (this.#connection && isOpen(this.#connection)) return;
    this.#ready = { target, connection: await this.#session.open(target) };
  }

  /** Of the site; unknown through a proxy. */
  get address(): string | undefined {
    const connection = this.#connection;
    return !this.#isRouted && connection instanceof Socket ? connection.remoteAddress : undefined;
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
    this.#ready?.connection.destroy();
    this.#countRest();
  }

  /** Bytes after the last request belong to it. */
  #countRest(): void {
    if (this.#meter) this.countInto(this.#meter);
    this.#meter = undefined;
  }
}

const isOpen = ({ destroyed, readable, writable }: Duplex): boolean => !destroyed && readable && writable;

const isSame = (one: Target, other: Target): boolean => one.host === other.host && one.port === other.port;
