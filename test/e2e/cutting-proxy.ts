import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { Transform } from "node:stream";

/** What a connection has carried so far, including the next bytes. */
interface Passing {
  /** Bytes to the server, including these. */
  readonly sent: number;
  /** These are the first bytes of an answer: the server has acted, and the client does not know it yet. */
  readonly isAnswer: boolean;
}

type IsCut = (passing: Passing) => boolean;

/** Cuts some connections in the middle of a request. */
export const cutAfterBytes = (bytes: number, times: number): IsCut => {
  let left = times;
  return ({ sent, isAnswer }) => !isAnswer && sent > bytes && left-- > 0;
};

/** Before this share of the answers. `random` gives numbers in [0, 1). */
export const cutAnswers =
  (share: number, random: () => number): IsCut =>
  ({ isAnswer }) =>
    isAnswer && random() < share;

/** Forwards bytes to a server and cuts some connections. Requests on a connection follow each other, as in HTTP/1.1. */
export class CuttingProxy implements AsyncDisposable {
  /** Number of cut connections. */
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL, isCut: IsCut) {
    this.#server = createServer((inside) => {
      const outside = connect(Number(target.port), target.hostname);
      let sent = 0;
      let isAsking = false;
      for (const socket of [inside, outside]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => this.#sockets.delete(socket));
      }
      const pass = (isAnswer: boolean): Transform =>
        new Transform({
          transform: (data: Buffer, _, done) => {
            if (!isAnswer) sent += data.length;
            const isCutNow = isCut({ sent, isAnswer: isAnswer && isAsking });
            isAsking = !isAnswer;
            if (!isCutNow) return done(null, data);
            this.cuts++;
            inside.destroy();
            outside.destroy();
          },
        });
      inside.pipe(pass(false)).pipe(outside);
      outside.pipe(pass(true)).pipe(inside);
      // pipe() does not forward a broken connection.
      inside.on("close", () => outside.destroy());
      outside.on("close", () => inside.destroySoon());
    });
  }

  static async open(target: string, isCut: IsCut, port = 0, host = "127.0.0.1"): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(target), isCut);
    await once(proxy.#server.listen(port, host), "listening");
    return proxy;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
