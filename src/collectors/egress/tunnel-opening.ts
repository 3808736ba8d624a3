/** What the first bytes of a tunnel are; undefined if more are needed to tell. */
export type TunnelOpening = "https" | "websocket" | "http" | "other" | undefined;

const END_OF_HEAD = "\r\n\r\n";

/**
 * A browser opens a tunnel for every https URL and for every WebSocket. Over plain HTTP, a WebSocket says `Upgrade`. Over TLS nothing can be read,
 * except which protocols the client offers: Chromium offers HTTP/2 for requests and only HTTP/1.1 for a WebSocket. Not seen is a WebSocket inside an
 * HTTP/2 connection that is open already (RFC 8441), which few servers offer: its bytes are counted, and its address has passed the guard.
 */
export const readOpening = (bytes: Buffer): TunnelOpening => {
  if (bytes.length === 0) return undefined;
  if (bytes[0] === HANDSHAKE) {
    const protocols = offeredProtocols(bytes);
    if (protocols === undefined) return undefined;
    return protocols.includes("h2") ? "https" : "websocket";
  }
  const text = bytes.toString("latin1");
  if (!/^[A-Z]{1,20}(?: |$)/.test(text)) return "other";
  const end = text.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  return /^upgrade:.*websocket/im.test(text.slice(0, end)) ? "websocket" : "http";
};

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const ALPN = 16;

/** Of a ClientHello (RFC 8446, 4.1.2; RFC 7301, 3.1): undefined while it is incomplete, none if it cannot be read. */
const offeredProtocols = (bytes: Buffer): readonly string[] | undefined => {
  const hello = handshakeOf(bytes);
  if (!hello || hello.length < 4) return undefined;
  const length = hello.readUIntBE(1, 3);
  if (hello[0] !== CLIENT_HELLO) return [];
  if (hello.length < 4 + length) return undefined;
  try {
    return protocolsIn(hello.subarray(4, 4 + length));
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
};

/** A handshake message may be spread over several records. */
const handshakeOf = (bytes: Buffer): Buffer | undefined => {
  const parts: Buffer[] = [];
  let at = 0;
  while (at + 5 <= bytes.length && bytes[at] === HANDSHAKE) {
    const length = bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return parts.length > 0 ? Buffer.concat(parts) : undefined;
};

const protocolsIn = (hello: Buffer): string[] => {
  // Version and random, then three lists with their lengths: session id, cipher suites, compression methods.
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at >= hello.length) return [];
  const end = at + 2 + hello.readUInt16BE(at);
  at += 2;
  while (at + 4 <= end) {
    const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
    if (type === ALPN) return namesIn(hello.subarray(at + 6, at + 4 + length));
    at += 4 + length;
  }
  return [];
};

const namesIn = (list: Buffer): string[] => {
  const names: string[] = [];
  for (let at = 0; at < list.length; at += 1 + list[at]!)
    names.push(list.toString("latin1", at + 1, at + 1 + list[at]!));
  return names;
};
