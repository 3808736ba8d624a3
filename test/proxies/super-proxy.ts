import { once } from "node:events";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { request as requestTls } from "node:https";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer, TLSSocket } from "node:tls";
import type { Certificates } from "./certificates.ts";

interface SuperProxyOptions {
  readonly password: string;
  readonly customer?: string;
  /** The address that a zone's traffic leaves from, for example 127.0.0.7. Zones that are not named leave from 127.0.0.1. */
  readonly exits?: Readonly<Record<string, string>>;
  /** Names that only the proxy knows. */
  readonly names?: Readonly<Record<string, string>>;
  /** For zones that read TLS: `tls`, `empty` and `nopost`. Also for the proxy itself if it is reached by TLS. */
  readonly certificates?: Certificates | undefined;
  readonly isSecure?: boolean;
  /** Bytes from the site after which zone `cut` cuts a tunnel. */
  readonly cutAfter?: number;
}

/** As Bright Data writes them. */
const GRAMMAR =
  /^brd-customer-(\w+)-zone-([a-z]\w*)(?:-country-[a-z]{2}(?:-state-[a-z]{2})?(?:-city-[a-z]+)?)?(?:-session-[a-z0-9]+)?$/;

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

const brd = (status: number, code: string, text: string): Refusal => ({
  status,
  headers: { "x-brd-err-code": code, "x-brd-err-msg": text },
});

const WRONG_NAME = brd(407, "client_10000", "Invalid authentication: check the user name");
const WRONG_PASSWORD = brd(407, "client_10010", "Wrong password");

/** What zones of these names answer instead of opening a tunnel. */
export const REFUSING_ZONES: Readonly<Record<string, Refusal>> = {
  quota: brd(407, "client_10100", "Zone has reached its limit"),
  policy: brd(402, "policy_20130", "POST requests are not allowed without verification"),
  forbidden: brd(403, "policy_20050", "Access to this site is not allowed"),
  busy: brd(429, "client_10060", "Too many requests"),
  noexit: brd(502, "no_peer_30010", "No exit was found"),
  target: brd(502, "target_40001", "The site refused the connection"),
  standard: {
    status: 502,
    headers: {
      "proxy-status": 'brd.brightdata.io; error=proxy_internal_error; details="peer-30020: No exit"',
    },
  },
  old: { status: 502, headers: { "x-luminati-error": "no_peer No peers available" } },
};

/** A fake of a provider's super proxy. What it does follows from the zone in the user name. */
export const startSuperProxy = async (options: SuperProxyOptions) => {
  const { password, customer = "c1", exits = {}, names = {}, certificates, cutAfter = 1000 } = options;
  const byUser = new Map<string, Socket[]>();
  const connects: { readonly user: string; readonly target: string }[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    return socket;
  };

  const refuse = (client: Socket, { status, headers }: Refusal): void => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    client.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("")}Content-Length: 0\r\n\r\n`);
  };

  const tunnel = (client: Socket, zone: string, host: string, port: number): void => {
    const localAddress = exits[zone] ?? "127.0.0.1";
    const site = keep(connect({ host: names[host] ?? host, port, localAddress, allowHalfOpen: true }));
    let received = 0;
    site.once("error", () => client.destroy());
    site.once("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(site);
      site.on("data", (bytes: Buffer) => {
        received += bytes.length;
        if (zone !== "cut" || received <= cutAfter) return void client.write(bytes);
        client.resetAndDestroy();
        site.destroy();
      });
      site.on("end", () => client.end());
      client.on("close", () => site.destroy());
      site.on("close", () => client.destroySoon());
    });
  };

  const served = () => ({ key: certificates!.key, cert: certificates!.cert });

  /** Reads the requests itself. */
  const intercept = (client: Socket, zone: string, host: string, port: number): void => {
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    client.once("data", (first: Buffer) => {
      client.pause();
      client.unshift(first);
      const isTls = first[0] === 22;
      const inside = isTls
        ? new TLSSocket(client, { ...served(), isServer: true, ALPNProtocols: ["http/1.1"] })
        : client;
      inside.on("error", () => undefined);
      const server = createHttpServer((incoming, response) =>
        answer(incoming, response, zone, isTls, host, port),
      );
      server.emit("connection", inside);
      inside.resume();
    });
  };

  const answer = (
    incoming: IncomingMessage,
    response: ServerResponse,
    zone: string,
    isTls: boolean,
    host: string,
    port: number,
  ): void => {
    if (zone === "empty")
      return void response.writeHead(200, { "x-brd-error": "no_peer: the exit has gone" }).end();
    const { status, headers: refusal } = REFUSING_ZONES["policy"]!;
    if (zone === "nopost" && incoming.method === "POST")
      return void response.writeHead(status, refusal).end();
    const { method, url, headers } = incoming;
    const to = { host: names[host] ?? host, port, method, path: url, headers, localAddress: exits[zone] };
    const passed = isTls ? requestTls({ ...to, rejectUnauthorized: false }) : request(to);
    passed.on("response", (site) => {
      response.writeHead(site.statusCode ?? 502, site.headers);
      site.pipe(response);
    });
    passed.on("error", () => response.destroy());
    incoming.pipe(passed);
  };

  const serve = (client: Socket, wire: Socket): void => {
    let held = Buffer.alloc(0);
    const onData = (bytes: Buffer): void => {
      held = Buffer.concat([held, bytes]);
      const end = held.indexOf("\r\n\r\n");
      if (end < 0) return;
      client.off("data", onData);
      const head = held.toString("latin1", 0, end);
      if (held.length > end + 4) client.unshift(held.subarray(end + 4));
      const [, host = "", port] = /^CONNECT \[?([^\s\]]+)\]?:(\d+) HTTP\/1\.1/.exec(head) ?? [];
      if (port === undefined) return refuse(client, { status: 405, headers: {} });
      const [, login = ""] = /^proxy-authorization: basic (\S+)$/im.exec(head) ?? [];
      const [user = "", ...rest] = Buffer.from(login, "base64").toString().split(":");
      byUser.set(user, [...(byUser.get(user) ?? []), wire]);
      connects.push({ user, target: `${host}:${port}` });
      const [, id, zone = ""] = GRAMMAR.exec(user) ?? [];
      if (id !== customer) return refuse(client, WRONG_NAME);
      if (rest.join(":") !== password) return refuse(client, WRONG_PASSWORD);
      const refusal = REFUSING_ZONES[zone];
      if (refusal) return refuse(client, refusal);
      if (zone === "silent") return;
      const isRead = zone === "tls" || zone === "empty" || zone === "nopost";
      (isRead ? intercept : tunnel)(client, zone, host, Number(port));
    };
    client.on("data", onData);
  };

  const server = options.isSecure
    ? createTlsServer(served(), (secure) => {
        keep(secure);
        serve(secure, wires.get(secure.remotePort!)!);
      })
    : createServer({ allowHalfOpen: true }, (client) => serve(keep(client), client));
  const wires = new Map<number, Socket>();
  if (options.isSecure) server.on("connection", (wire: Socket) => wires.set(wire.remotePort!, wire));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `${options.isSecure ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    customer,
    /** Every CONNECT, in order. */
    connects,
    /** Bytes of connections whose user name matches, in both directions: what a provider would bill. */
    bytes: (user: RegExp = /./): number =>
      [...byUser]
        .filter(([name]) => user.test(name))
        .flatMap(([, own]) => own)
        .reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0),
    /** Cuts all connections. */
    cut: (): void => sockets.forEach((socket) => void socket.destroy()),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
};
