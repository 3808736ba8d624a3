import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { FailureError } from "../../domain/failure.ts";
import { BadRequestError, parseRequestHead, type RequestHead, type Target } from "./request-head.ts";
import { readOpening } from "./tunnel-opening.ts";

/** What a connection needs from the session that it belongs to. */
export interface ConnectionOwner {
  readonly allowsWebSockets: boolean;
  /** False if it has too many. */
  add(connection: ClientConnection): boolean;
  delete(connection: ClientConnection): void;
  open(target: Target): Promise<Duplex>;
  refuse(target: Target, why: unknown): void;
  received(bytes: number): void;
  sent(bytes: number): void;
}

interface ClientOptions {
  /** The session whose name and password a request carries; undefined if they are wrong. */
  readonly ownerOf: (head: RequestHead) => ConnectionOwner | undefined;
  readonly onEnd: () => void;
}

const MOST_HEAD_BYTES = 64 * 1024;
/** A ClientHello is one to two kilobytes. */
const MOST_OPENING_BYTES = 64 * 1024;
/** From the connection to the first request with the right password. */
const LOGIN_MS = 10_000;
/** Nothing in either direction. */
const IDLE_MS = 5 * 60_000;
/** Requests without the right password: a browser sends one, and then the same with it. */
const MOST_LOGINS = 3;
const END_OF_HEAD = "\r\n\r\n";
const EMPTY = Buffer.alloc(0);

/**
 * One connection of a client. It begins in `head`: bytes are gathered until a request's head is complete. While `connecting`, nothing is read. A plain
 * request then passes its `body` to the target and returns to `head`; the target's bytes go back as they are, and are not read at all, since a client
 * sends its next request only when it has the whole response. A tunnel passes everything, once its `opening` shows that it is not a WebSocket.
 */
export class ClientConnection {
  readonly #client: Socket;
  readonly #options: ClientOptions;
  readonly #login: NodeJS.Timeout;
  #state: "head" | "connecting" | "body" | "opening" | "tunnel" | "ended" = "head";
  #held: Buffer = EMPTY;
  #bodyLeft = 0;
  #logins = 0;
  #owner: ConnectionOwner | undefined;
  #upstream: Duplex | undefined;
  #target: Target | undefined;

  constructor(client: Socket, options: ClientOptions) {
    this.#client = client;
    this.#options = options;
    this.#login = setTimeout(() => this.destroy(), LOGIN_MS);
    client.setNoDelay(true);
    client.setTimeout(IDLE_MS, () => this.destroy());
    client.on("error", () => this.destroy());
    client.on("close", () => this.destroy());
    client.on("end", () => this.#endUpstream());
    client.on("drain", () => this.#upstream?.resume());
    client.on("data", (chunk: Buffer) => {
      this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
      this.#advance();
    });
  }

  /** Cuts both sides at once. */
  destroy(): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    this.#held = EMPTY;
    clearTimeout(this.#login);
    this.#client.destroy();
    this.#upstream?.destroy();
    this.#owner?.delete(this);
    this.#options.onEnd();
  }

  #advance(): void {
    try {
      while (this.#held.length > 0 && this.#step());
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      this.#answerAndEnd(error.status);
    }
  }

  /** Handles what is held; false if it must wait. */
  #step(): boolean {
    switch (this.#state) {
      case "head": {
        const end = this.#held.indexOf(END_OF_HEAD);
        if (end > MOST_HEAD_BYTES || (end < 0 && this.#held.length > MOST_HEAD_BYTES))
          throw new BadRequestError(431, "the head is too large");
        if (end < 0) return false;
        const head = parseRequestHead(this.#held.toString("latin1", 0, end));
        this.#held = this.#held.subarray(end + END_OF_HEAD.length);
        this.#state = "connecting";
        this.#client.pause();
        void this.#request(head);
        return false;
      }
      case "body": {
        const part = this.#held.subarray(0, this.#bodyLeft);
        this.#held = this.#held.subarray(part.length);
        this.#bodyLeft -= part.length;
        this.#send(part);
        if (this.#bodyLeft === 0) this.#state = "head";
        return true;
      }
      case "opening": {
        const opening = readOpening(this.#held);
        if (opening === undefined && this.#held.length <= MOST_OPENING_BYTES) return false;
        if (opening === "https" || opening === "http") {
          this.#state = "tunnel";
          return true;
        }
        this.#owner!.refuse(this.#target!, opening === "websocket" ? WEB_SOCKET : NOT_HTTP);
        this.destroy();
        return false;
      }
      case "tunnel": {
        const all = this.#held;
        this.#held = EMPTY;
        this.#send(all);
        return false;
      }
      case "connecting":
      case "ended":
        return false;
    }
  }

  async #request(head: RequestHead): Promise<void> {
    const owner = this.#options.ownerOf(head);
    if (!owner) return this.#challenge(head);
    clearTimeout(this.#login);
    if (owner !== this.#owner) {
      if (this.#owner || !owner.add(this)) return this.destroy();
      this.#owner = owner;
    }
    const { target, isTunnel, bodyBytes, forwarded, asksForWebSocket } = head;
    try {
      if (asksForWebSocket && !owner.allowsWebSockets) throw WEB_SOCKET;
      const isSame = this.#target?.host === target.host && this.#target.port === target.port;
      if (!isSame || !this.#upstream?.writable) await this.#connect(owner, target);
    } catch (error) {
      if (this.#isEnded()) return;
      owner.refuse(target, error);
      // A response of our own to a plain request would look like the site's.
      return isTunnel ? this.#answerAndEnd(502) : this.destroy();
    }
    if (this.#isEnded()) return;
    if (isTunnel) {
      this.#client.write(`HTTP/1.1 200 Connection established${END_OF_HEAD}`);
      this.#state = owner.allowsWebSockets ? "tunnel" : "opening";
    } else {
      this.#send(Buffer.from(forwarded, "latin1"));
      this.#bodyLeft = bodyBytes;
      this.#state = asksForWebSocket ? "tunnel" : bodyBytes > 0 ? "body" : "head";
    }
    this.#client.resume();
    this.#advance();
    if (this.#client.readableEnded) this.#endUpstream();
  }

  async #connect(owner: ConnectionOwner, target: Target): Promise<void> {
    const earlier = this.#upstream;
    this.#upstream = undefined;
    earlier?.destroy();
    const upstream = await owner.open(target);
    if (this.#isEnded()) return void upstream.destroy();
    this.#target = target;
    this.#upstream = upstream;
    const isCurrent = (): boolean => this.#upstream === upstream && !this.#isEnded();
    upstream.on("data", (chunk: Buffer) => {
      owner.received(chunk.length);
      if (isCurrent() && !this.#client.write(chunk)) upstream.pause();
    });
    upstream.on("drain", () => isCurrent() && this.#client.resume());
    upstream.on("end", () => isCurrent() && this.#client.end());
    // A broken response without a length must not look complete.
    upstream.on("error", () => isCurrent() && this.#client.resetAndDestroy());
    upstream.on("close", () => isCurrent() && this.#client.destroySoon());
  }

  /** The client sends no more, and may still listen. */
  #endUpstream(): void {
    if (this.#state === "connecting") return;
    if (this.#upstream) this.#upstream.end();
    else this.destroy();
  }

  #isEnded(): boolean {
    return this.#state === "ended";
  }

  #send(bytes: Buffer): void {
    this.#owner!.sent(bytes.length);
    if (!this.#upstream!.write(bytes)) this.#client.pause();
  }

  #challenge({ bodyBytes }: RequestHead): void {
    if (bodyBytes > 0 || ++this.#logins >= MOST_LOGINS) return this.#answerAndEnd(407);
    this.#client.write(answer(407, "keep-alive"));
    this.#state = "head";
    this.#client.resume();
    this.#advance();
  }

  #answerAndEnd(status: number): void {
    // Whatever else it sends is not read.
    this.#state = "connecting";
    this.#client.end(answer(status, "close"));
    this.#client.destroySoon();
  }
}

const forbidden = (detail: string): FailureError => new FailureError({ kind: "forbidden-target", detail });

const WEB_SOCKET = forbidden("WebSockets are not allowed");
const NOT_HTTP = forbidden("neither HTTP nor TLS was sent");

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  407: "Proxy Authentication Required",
  411: "Length Required",
  431: "Request Header Fields Too Large",
  502: "Bad Gateway",
};

const answer = (status: number, connection: "close" | "keep-alive"): string =>
  [
    `HTTP/1.1 ${status} ${STATUS_TEXTS[status]}`,
    ...(status === 407 ? ['Proxy-Authenticate: Basic realm="sluice"'] : []),
    "Content-Length: 0",
    `Connection: ${connection}`,
    `Proxy-Connection: ${connection}`,
    "",
    "",
  ].join("\r\n");
