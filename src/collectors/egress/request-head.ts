/** Header names and values as they were sent; one character is one byte. */
type HeaderPairs = readonly (readonly [name: string, value: string])[];

export interface Target {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A client's request to the proxy. */
export interface RequestHead {
  readonly target: Target;
  /** `CONNECT`: the bytes that follow belong to client and target. */
  readonly isTunnel: boolean;
  /** The value of `Proxy-Authorization`. */
  readonly login: string | undefined;
  readonly asksForWebSocket: boolean;
  /** Bytes of the body that follow the head. */
  readonly bodyBytes: number;
  /** The head that is sent to the target instead; empty for a tunnel. */
  readonly forwarded: string;
}

/** The request is refused with this status, and its connection closed. */
export class BadRequestError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const LINE = /^([!#$%&'*+.^_`|~\w-]+) (\S+) HTTP\/1\.[01]$/;
const NAME = /^[!#$%&'*+.^_`|~\w-]+$/;

/** `text` is a head without its empty line, read as Latin-1. */
export const parseRequestHead = (text: string): RequestHead => {
  const [first = "", ...lines] = text.split("\r\n");
  const [, method, address = ""] = LINE.exec(first) ?? [];
  if (method === undefined) throw new BadRequestError(400, "not an HTTP request");
  const headers = lines.map((line) => {
    const at = line.indexOf(":");
    const name = line.slice(0, at);
    if (at < 1 || !NAME.test(name)) throw new BadRequestError(400, "a header cannot be read");
    return [name, line.slice(at + 1).trim()] as const;
  });
  const login = headerOf(headers, "proxy-authorization");
  const asksForWebSocket = headers.some(
    ([name, value]) => name.toLowerCase() === "upgrade" && /websocket/i.test(value),
  );
  const common = { login, asksForWebSocket };
  if (method === "CONNECT")
    return { ...common, target: targetOf(address), isTunnel: true, bodyBytes: 0, forwarded: "" };
  const [, authority, rest = ""] = /^http:\/\/([^/?#]+)(.*)$/i.exec(address) ?? [];
  if (authority === undefined) throw new BadRequestError(400, "expected CONNECT or an absolute http URL");
  const target = targetOf(authority, 80);
  // As it was written: parsing it as a URL would change its escapes.
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  const sent = headersForTarget(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return {
    ...common,
    target,
    isTunnel: false,
    bodyBytes: bodyLength(headers),
    forwarded: `${method} ${path} HTTP/1.1\r\n${sent.join("")}\r\n`,
  };
};

/** `host:port`; the port is optional if there is a default one. */
const targetOf = (text: string, usual?: number): Target => {
  const [, host, port] = /^(\[[\da-f:.]+\]|[^\s:@[\]]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const number = port === undefined ? usual : Number(port);
  if (host === undefined || number === undefined || number < 1 || number > 65_535)
    throw new BadRequestError(400, "the target is not host:port");
  return { host: host.replace(/^\[(.*)\]$/, "$1").toLowerCase(), port: number };
};

/** The value of a header that may come once. */
const headerOf = (headers: HeaderPairs, name: string): string | undefined => {
  const found = headers.filter(([key]) => key.toLowerCase() === name);
  if (found.length > 1) throw new BadRequestError(400, `more than one ${name}`);
  return found[0]?.[1];
};

/** Without headers for the proxy. A browser sends `Proxy-Connection` where it would send `Connection` to the site. */
const headersForTarget = (headers: HeaderPairs): HeaderPairs => {
  const hasConnection = headers.some(([name]) => name.toLowerCase() === "connection");
  return headers.flatMap(([name, value]): HeaderPairs => {
    const key = name.toLowerCase();
    if (key === "proxy-connection") return hasConnection ? [] : [["Connection", value]];
    return key.startsWith("proxy-") ? [] : [[name, value]];
  });
};

/** Browsers send a length with every body over HTTP/1.1. */
const bodyLength = (headers: HeaderPairs): number => {
  if (headerOf(headers, "transfer-encoding") !== undefined)
    throw new BadRequestError(411, "a body needs a length");
  const length = headerOf(headers, "content-length") ?? "0";
  if (!/^\d{1,15}$/.test(length)) throw new BadRequestError(400, "content-length is not a number");
  return Number(length);
};
