import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { join } from "node:path";

/** The answers for one name, in order. The last one repeats. */
type Answers = readonly string[];

const HEADER_BYTES = 12;
/** Flags: an authoritative response, with the query's recursion flag. */
const ANSWER_FLAGS = 0x8400;
const NO_SUCH_NAME = 3;
const TYPE_A = 1;

/** A DNS server on loopback for the processes of a test: see `ask-name-server.ts`. */
export class NameServer implements AsyncDisposable {
  /** Queried names, in order. */
  readonly asked: string[] = [];
  readonly #socket: Socket;
  readonly #names: Readonly<Record<string, Answers>>;

  private constructor(names: Readonly<Record<string, Answers>>) {
    this.#names = names;
    this.#socket = createSocket("udp4", (query, from) =>
      this.#socket.send(this.#answer(query), from.port, from.address),
    );
  }

  static async open(names: Readonly<Record<string, Answers>>): Promise<NameServer> {
    const server = new NameServer(names);
    await once(server.#socket.bind(0, "127.0.0.1"), "listening");
    return server;
  }

  /** Environment for processes that resolve names here. */
  get env(): Readonly<Record<string, string>> {
    return {
      NAME_SERVER: `127.0.0.1:${this.#socket.address().port}`,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, "ask-name-server.ts")}`,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((closed) => this.#socket.close(closed));
  }

  /** RFC 1035, 4.1: the header, the question, and one address with a TTL of 0. */
  #answer(query: Buffer): Buffer {
    const { name, end } = readName(query);
    const question = query.subarray(HEADER_BYTES, end + 4);
    const address = query.readUInt16BE(end) === TYPE_A ? this.#addressOf(name) : undefined;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(ANSWER_FLAGS | (query.readUInt16BE(2) & 0x0100) | (address ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(address ? 1 : 0, 6);
    if (!address) return Buffer.concat([header, question]);
    const nameAtHeader = [0xc0, HEADER_BYTES];
    const record = Buffer.from([...nameAtHeader, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4]);
    return Buffer.concat([header, question, record, Buffer.from(address.split(".").map(Number))]);
  }

  #addressOf(name: string): string | undefined {
    const answers = this.#names[name];
    const before = this.asked.filter((one) => one === name).length;
    this.asked.push(name);
    return answers?.[Math.min(before, answers.length - 1)];
  }
}

const readName = (query: Buffer): { readonly name: string; readonly end: number } => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
};
