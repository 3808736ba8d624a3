import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** Beyond this nothing is held back: undici's lower cap on headers reports the failure. */
const MOST_HEAD_BYTES = 64 * 1024;

/**
 * Gives undici's parser only heads that it accepts. Unlike browsers and curl, the parser ends the connection at an unsolicited `100 Continue`, a
 * repeated `Content-Length` or one beside `chunked`, bare line feeds, folded lines, and lines that are not headers. So the head of each response
 * is held back until it is complete, and rewritten if necessary.
 */
export const repairHeads =
  (connect: buildConnector.connector): buildConnector.connector =>
  (target, callback) =>
    connect(target, (...result) => {
      const socket = result[1];
      if (socket && !("alpnProtocol" in socket && socket.alpnProtocol === "h2")) watch(socket);
      callback(...result);
    });

/** undici reads with `read`. With one request at a time, the bytes after a `write` begin with a head. */
const watch = (socket: Socket): void => {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...of: unknown[]) => boolean;
  let held: Buffer | undefined;
  let awaitsHead = false;
  socket.write = (...of: unknown[]): boolean => {
    awaitsHead = true;
    held = undefined;
    return write(...of);
  };
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk = read(size);
      if (!awaitsHead || chunk === null || size === 0) return chunk;
      const all = held ? Buffer.concat([held, chunk]) : chunk;
      const taken = takeHead(all);
      awaitsHead = taken === undefined;
      held = awaitsHead ? all : undefined;
      if (taken) return taken;
    }
  };
};

/** The response in a form that the parser accepts; undefined while the head is incomplete. */
const takeHead = (bytes: Buffer): Buffer | undefined => {
  const start = bytes.toString("latin1", 0, 10).trimStart();
  if (!start.startsWith("HTTP/") && !"HTTP/".startsWith(start)) return bytes;
  let rest = bytes;
  for (;;) {
    const end = headEnd(rest);
    if (end === undefined) return rest.length > MOST_HEAD_BYTES ? rest : undefined;
    const head = rest.toString("latin1", 0, end);
    // Informational responses are dropped. 101 is kept: no protocol switch was requested.
    if (!/^\s*HTTP\/1\.\d 1(?!01)\d\d/.test(head))
      return SOUND_HEAD.test(head) && !hasOddLength(head)
        ? rest
        : Buffer.concat([Buffer.from(repaired(head), "latin1"), rest.subarray(end)]);
    rest = rest.subarray(end);
  }
};

/** The end of the empty line after a head. */
const headEnd = (bytes: Buffer): number | undefined => {
  // Empty lines before a head are skipped, as in the parser.
  let from = 0;
  while (bytes[from] === 0x0d || bytes[from] === 0x0a) from++;
  for (let at = bytes.indexOf("\n", from); at >= 0; at = bytes.indexOf("\n", at + 1)) {
    const next = bytes[at + 1] === 0x0d ? at + 2 : at + 1;
    if (bytes[next] === 0x0a) return next + 1;
  }
  return undefined;
};

const SOUND_HEAD = /^[^\r\n]*\r\n(?:[\w!#$%&'*+.^`|~-]+:(?:[^\p{Cc}]|[\t\x80-\x9F])*\r\n)*\r\n$/u;
/** Characters that the parser rejects in a value. */
const CONTROL = /(?![\t\x80-\x9F])\p{Cc}/gu;

const hasOddLength = (head: string): boolean => {
  const lengths = head.match(/^content-length:.*$/gim) ?? [];
  if (lengths.length === 0) return false;
  return lengths.length > 1 || lengths[0]!.includes(",") || /^transfer-encoding:/im.test(head);
};

const repaired = (head: string): string => {
  const [status = "", ...lines] = head
    .trim()
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/);
  const headers: [string, string][] = [];
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)[ \t]*:(.*)$/s.exec(line) ?? [];
    if (name !== undefined) headers.push([name, value!.replace(CONTROL, " ").trim()]);
  }
  const isChunked = headers.some(
    ([name, value]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(value),
  );
  const lengths = new Set(
    headers.flatMap(([name, value]) => (isLength(name) ? value.split(",").map((one) => one.trim()) : [])),
  );
  // A repeated length becomes one. Chunks override any length (RFC 9112, 6.3). Different lengths are left to the parser, which rejects them.
  const isRepeated = lengths.size === 1;
  const kept = headers.filter(([name]) => !isLength(name) || !(isChunked || isRepeated));
  if (isRepeated && !isChunked) kept.push(["Content-Length", [...lengths][0]!]);
  return [status, ...kept.map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");
};

const isLength = (name: string): boolean => /^content-length$/i.test(name);
