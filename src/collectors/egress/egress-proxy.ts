import { randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Duplex } from "node:stream";
import { FailureError } from "../../domain/failure.ts";
import { SocketMeter } from "../proxy/socket-meter.ts";
import { ClientConnection, type ConnectionOwner } from "./client-connection.ts";
import { type EgressGuard, openSocket, type OpenTarget } from "./open-socket.ts";
import type { RequestHead, Target } from "./request-head.ts";

/** What one attempt has moved, in bytes of the connections to sites: TLS and heads included. */
export interface Traffic {
  received: number;
  sent: number;
  /** Connections that were not made, the first hundred. The browser itself sees only that a request failed. */
  readonly refused: Refusal[];
  /** Bytes of the connections to a provider's proxy, in both directions; 0 without one. */
  readonly proxyBytes: number;
}

export interface Refusal extends Target {
  readonly kind: "forbidden-target" | "connection" | "timeout" | "proxy";
  readonly detail: string;
  /** An error of this machine, for example that it has no free sockets, is found here. */
  readonly cause: unknown;
}

interface SessionSettings {
  /** Restricted to public addresses, those that the operator allows, and the trusted origin. */
  readonly isGuarded?: boolean;
  /** The site that the scraper declares: the owner of the installation wrote it. */
  readonly trustedOrigin?: string | undefined;
  readonly allowsWebSockets?: boolean;
  /** How its traffic is routed; default: direct. */
  readonly openTarget?: OpenTarget;
}

/** The traffic of one browser context, which several attempts may use one after the other. */
export interface EgressSession {
  readonly username: string;
  readonly password: string;
  /** From now on bytes belong to a new attempt. Connections stay open between attempts; an aborted signal cuts them, and refuses new ones until the next attempt. */
  begin(signal?: AbortSignal): Traffic;
  /** Connects as its requests would: the guard, the way out and the signal are the session's. */
  open(target: Target): Promise<Duplex>;
  /** Cuts all its connections, and forgets its password. */
  close(): void;
}

/** A proxy on the loopback interface for the traffic of browsers. */
export interface EgressProxy {
  /** For `--proxy-server` and for Playwright's `proxy.server`. */
  readonly url: string;
  open(settings?: SessionSettings): EgressSession;
  /** Cuts everything. */
  close(): Promise<void>;
}

/** More than a browser with many tabs opens. */
const MOST_CONNECTIONS = 2000;
const MOST_OF_SESSION = 256;
const MOST_REFUSED = 100;

/**
 * One port for all sessions of a process: a session is known by its name and password, which every request must carry. Give them to the browser in
 * answer to `Fetch.authRequired`, not as `proxy.username` of Playwright, which then turns the HTTP cache off.
 */
export const startEgressProxy = async ({
  guard,
}: { readonly guard?: EgressGuard } = {}): Promise<EgressProxy> => {
  const sessions = new Map<string, Session>();
  const connections = new Set<ClientConnection>();
  const ownerOf = ({ login = "" }: RequestHead): Session | undefined => {
    const [, token = ""] = /^Basic ([\w+/=]+)$/i.exec(login) ?? [];
    const [username = "", password = ""] = Buffer.from(token, "base64").toString("latin1").split(":");
    const session = sessions.get(username);
    return session && isEqual(session.password, password) ? session : undefined;
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = new ClientConnection(client, { ownerOf, onEnd: () => connections.delete(connection) });
    connections.add(connection);
  });
  server.maxConnections = MOST_CONNECTIONS;
  // One connection that cannot be accepted must not end the process.
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    open(settings = {}) {
      if (settings.isGuarded && !guard) throw new TypeError("a guarded session needs a guard");
      const session = new Session({ ...settings, guard }, () => sessions.delete(session.username));
      sessions.set(session.username, session);
      return session;
    },
    async close() {
      for (const session of sessions.values()) session.close();
      for (const connection of connections) connection.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
};

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

const secret = (): string => randomBytes(16).toString("hex");

interface GuardedSettings extends SessionSettings {
  readonly guard?: EgressGuard | undefined;
}

/** Connections stay open between attempts: each attempt counts the bytes of its own time. */
class MeteredTraffic implements Traffic {
  received = 0;
  sent = 0;
  readonly refused: Refusal[] = [];
  readonly #toProxy: SocketMeter;
  readonly #from: number;
  #until: number | undefined;

  constructor(toProxy: SocketMeter) {
    this.#toProxy = toProxy;
    this.#from = toProxy.moved;
  }

  get proxyBytes(): number {
    return (this.#until ?? this.#toProxy.moved) - this.#from;
  }

  end(): void {
    this.#until = this.#toProxy.moved;
  }
}

class Session implements EgressSession, ConnectionOwner {
  readonly username = secret();
  readonly password = secret();
  readonly #settings: GuardedSettings;
  readonly #trusted: Target | undefined;
  readonly #connections = new Set<ClientConnection>();
  readonly #onClose: () => void;
  readonly #toProxy = new SocketMeter();
  #traffic = new MeteredTraffic(this.#toProxy);
  #ended = new AbortController();
  #stopListening = (): void => undefined;

  constructor(settings: GuardedSettings, onClose: () => void) {
    this.#settings = settings;
    this.#onClose = onClose;
    this.#trusted = settings.trustedOrigin === undefined ? undefined : targetOfOrigin(settings.trustedOrigin);
  }

  get allowsWebSockets(): boolean {
    return this.#settings.allowsWebSockets ?? false;
  }

  begin(signal?: AbortSignal): Traffic {
    this.#stopListening();
    this.#traffic.end();
    this.#traffic = new MeteredTraffic(this.#toProxy);
    this.#ended = new AbortController();
    const cut = (): void => this.#cut();
    signal?.addEventListener("abort", cut);
    this.#stopListening = () => signal?.removeEventListener("abort", cut);
    if (signal?.aborted) cut();
    return this.#traffic;
  }

  close(): void {
    this.#stopListening();
    this.#cut();
    this.#onClose();
  }

  add(connection: ClientConnection): boolean {
    if (this.#ended.signal.aborted || this.#connections.size >= MOST_OF_SESSION) return false;
    this.#connections.add(connection);
    return true;
  }

  delete(connection: ClientConnection): void {
    this.#connections.delete(connection);
  }

  open(target: Target): ReturnType<OpenTarget> {
    const { isGuarded = false, guard, openTarget = openSocket } = this.#settings;
    const isTrusted = target.host === this.#trusted?.host && target.port === this.#trusted.port;
    return openTarget(target, {
      signal: this.#ended.signal,
      onSocket: (socket) => this.#toProxy.add(socket),
      ...(isGuarded && !isTrusted && { guard }),
    });
  }

  refuse({ host, port }: Target, cause: unknown): void {
    if (this.#traffic.refused.length >= MOST_REFUSED) return;
    this.#traffic.refused.push({ host, port, ...reasonOf(cause), cause });
  }

  received(bytes: number): void {
    this.#traffic.received += bytes;
  }

  sent(bytes: number): void {
    this.#traffic.sent += bytes;
  }

  #cut(): void {
    this.#ended.abort(new Error("the attempt has ended"));
    for (const connection of this.#connections) connection.destroy();
  }
}

const targetOfOrigin = (origin: string): Target => {
  const { hostname, port, protocol } = new URL(origin);
  const usual = protocol === "https:" ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? usual : Number(port) };
};

const KINDS = new Set<string>(["forbidden-target", "timeout", "proxy"]);

const reasonOf = (cause: unknown): Pick<Refusal, "kind" | "detail"> => {
  if (cause instanceof FailureError) {
    const { kind, detail } = cause.failure;
    return { kind: KINDS.has(kind) ? (kind as Refusal["kind"]) : "connection", detail };
  }
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return { kind: "connection", detail: `the connection could not be opened${code}` };
};
