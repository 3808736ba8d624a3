import type { Dispatcher } from "undici";
import { FailureError } from "../../domain/failure.ts";
import { type EgressProxy, startEgressProxy, type Traffic } from "../egress/egress-proxy.ts";
import type { Target } from "../egress/request-head.ts";
import type { Proxies } from "../proxy/proxies.ts";
import { BrowserLine } from "./browser-line.ts";
import { type MakeClient, makeClient } from "./load-impit.ts";
import type { TargetGuard } from "./target-guard.ts";
import type { Sender, WireExchange } from "./wire-exchange.ts";
import type { WireRequest } from "./wire.ts";

interface BrowserSenderOptions {
  readonly guard: TargetGuard;
  readonly proxies?: Proxies | undefined;
  readonly keepAliveMs: number;
  readonly makeClient?: MakeClient;
}

const MOST_IDLE = 100;
/** The exchange has its own timer; impit's would end longer requests. */
const NO_TIMEOUT_MS = 86_400_000;
/** Written by impit itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set(["host", "content-length"]);

/** Sends requests with the TLS handshake and the headers of a browser, by impit. All its connections are made by an egress proxy of this process. */
export class BrowserSender {
  readonly #options: BrowserSenderOptions;
  #egress: Promise<EgressProxy> | undefined;
  /** Released last comes last. */
  readonly #idle: BrowserLine[] = [];
  readonly #busy = new Set<BrowserLine>();
  #isClosed = false;

  constructor(options: BrowserSenderOptions) {
    this.#options = options;
  }

  senderFor(request: WireRequest): Sender {
    return {
      dispatch: (_options, handler) => {
        void this.#send(request, handler as WireExchange);
        return true;
      },
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const line of [...this.#idle, ...this.#busy]) line.close();
    await (await this.#egress)?.close();
  }

  async #send(request: WireRequest, exchange: WireExchange): Promise<void> {
    let line: BrowserLine | undefined;
    let traffic: Traffic | undefined;
    const control = new Control();
    try {
      this.#refuseReadTls(request);
      const taken = (line = await this.#take(request));
      traffic = line.begin();
      exchange.addressOf = () => taken.address;
      if (request.route) exchange.countInto = (meter) => taken.countInto(meter);
      await line.connect(targetOf(request.url));
      if (!this.#starts(exchange, control, line)) return this.#release(line);
      const response = await line.client.fetch(request.url.href, {
        method: request.method as "GET",
        headers: request.headers.filter(([name]) => !OWN_HEADERS.has(name)).map(([...pair]) => pair),
        ...(request.body && { body: request.body }),
        timeout: NO_TIMEOUT_MS,
        signal: control.signal,
      });
      control.rawHeaders = [...response.headers].flatMap(decoded);
      exchange.onResponseStart(control, response.status, undefined, response.statusText);
      for await (const chunk of response.body) {
        await control.whenResumed();
        if (control.aborted) break;
        exchange.onResponseData(control, Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      }
      if (control.aborted) return this.#drop(line);
      this.#release(line);
      exchange.onResponseEnd();
    } catch (error) {
      const failure = control.aborted ? error : await this.#failureOf(error, request, traffic, line);
      exchange.onResponseError(control, failure as Error);
      if (line) this.#drop(line);
    }
  }

  /** False if it was stopped before it was sent. */
  #starts(exchange: WireExchange, control: Control, line: BrowserLine): boolean {
    try {
      exchange.onRequestStart(control);
    } catch {
      // The exchange has ended with this error already.
      return false;
    }
    if (control.aborted) return false;
    control.onAbort = () => this.#drop(line);
    return true;
  }

  /** The handshake would be made with this process, which then makes its own. */
  #refuseReadTls({ url, route }: WireRequest): void {
    if (!route || url.protocol !== "https:" || !this.#options.proxies?.hasCa(route.tier)) return;
    throw readsTls(`tier \`${route.tier}\` has a \`ca\``);
  }

  async #take({ url, isGuarded = false, route }: WireRequest): Promise<BrowserLine> {
    const { guard, proxies, makeClient: make = makeClient } = this.#options;
    if (route && !proxies) throw new TypeError("a request with a route needs proxies");
    const key = JSON.stringify([url.origin, isGuarded, route?.tier, route?.session]);
    const at = this.#idle.findLastIndex((line) => line.key === key);
    const [known] = at < 0 ? [] : this.#idle.splice(at, 1);
    const egress = await (this.#egress ??= startEgressProxy({ guard }));
    if (this.#isClosed) throw new Error("the transport was closed");
    const through = route && proxies?.open(route);
    const line = known ?? new BrowserLine({ key, egress, isGuarded, through, makeClient: make });
    this.#busy.add(line);
    return line;
  }

  #release(line: BrowserLine): void {
    // Dropped meanwhile.
    if (!this.#busy.delete(line)) return;
    this.#idle.push(line);
    const close = (one: BrowserLine): void => {
      const at = this.#idle.indexOf(one);
      if (at >= 0) this.#idle.splice(at, 1);
      one.close();
    };
    line.closeAfter(this.#options.keepAliveMs, () => close(line));
    if (this.#idle.length > MOST_IDLE) close(this.#idle[0]!);
  }

  /** Ends its request on the wire, which impit's own abort does not do before the response has begun. */
  #drop(line: BrowserLine): void {
    if (this.#busy.delete(line)) line.close();
  }

  async #failureOf(
    error: unknown,
    { url, route }: WireRequest,
    traffic: Traffic | undefined,
    line: BrowserLine | undefined,
  ): Promise<unknown> {
    // The egress proxy knows what impit does not say.
    const refusal = traffic?.refused.at(-1);
    if (refusal) return refusal.cause instanceof Error ? refusal.cause : new FailureError(refusal);
    if (!(error instanceof Error) || error instanceof FailureError || !isOfImpit(error)) return error;
    const { name, message } = error;
    if (name.startsWith("Proxy"))
      return new FailureError({ kind: "proxy", detail: `no tunnel was opened (${name})` });
    if (/kind: Decode/.test(message) && !/hyper::Error/.test(message))
      return new FailureError({ kind: "bad-content", detail: "the body cannot be decompressed" });
    const code = codeOf(name, message);
    if (route && code.startsWith("CERT_")) {
      const problem = await this.#options.proxies?.tlsProblem(route, targetOf(url), (socket) =>
        line?.others.add(socket),
      );
      if (problem) return readsTls(`the provider of tier \`${route.tier}\` intercepts TLS`);
    }
    // Not as its cause: the message may name the session of the egress proxy.
    return Object.assign(new Error(name), { code });
  }
}

const targetOf = ({ hostname, port, protocol }: URL): Target => ({
  host: hostname.replace(/^\[(.*)\]$/, "$1"),
  port: Number(port) || (protocol === "https:" ? 443 : 80),
});

const readsTls = (why: string): FailureError =>
  new FailureError({
    kind: "proxy",
    detail: `${why}: a browser's TLS handshake would not reach the site. Use another tier, or identity "own"`,
  });

/** Errors in a body have no class of their own. */
const isOfImpit = (error: Error): boolean =>
  "code" in error
    ? error.code === "Unknown" || error.code === "GenericFailure"
    : !(error instanceof TypeError);

/** As Node and undici name it. */
const codeOf = (name: string, message: string): string => {
  const [, certificate] = /InvalidCertificate\(\s*(\w+)/.exec(message) ?? [];
  if (certificate !== undefined) return `CERT_${certificate}`;
  if (/Timeout/.test(name)) return "ETIMEDOUT";
  if (/\bParse\(/.test(message)) return "HPE_INVALID";
  if (/ConnectionReset/.test(message)) return "ECONNRESET";
  if (/Incomplete|UnexpectedEof|ConnectionAborted|BrokenPipe/.test(message)) return "UND_ERR_SOCKET";
  return name;
};

/** impit decodes bodies, and leaves the headers that describe the encoded one. Named as in browsers' captures. */
const decoded = ([name, value]: [string, string]): string[] => {
  if (name === "content-encoding") return ["x-orig-content-encoding", value];
  return [name, value];
};

/** What undici would give to an exchange. */
class Control implements Dispatcher.DispatchController {
  rawHeaders: string[] = [];
  rawTrailers: string[] = [];
  onAbort: (() => void) | undefined;
  readonly #abort = new AbortController();
  #resumed: PromiseWithResolvers<void> | undefined;

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get aborted(): boolean {
    return this.#abort.signal.aborted;
  }

  get paused(): boolean {
    return this.#resumed !== undefined;
  }

  get reason(): Error | null {
    return (this.#abort.signal.reason as Error | undefined) ?? null;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.#abort.abort(reason);
    this.onAbort?.();
    this.resume();
  }

  pause(): void {
    this.#resumed ??= Promise.withResolvers();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  async whenResumed(): Promise<void> {
    await this.#resumed?.promise;
  }
}
