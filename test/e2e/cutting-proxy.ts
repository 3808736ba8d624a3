import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Passes bytes on to a server, and breaks some of the connections off after so many bytes. */
export class CuttingProxy implements AsyncDisposable {
  /** How many connections have been broken off. */
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL, afterBytes: number, times: number) {
    this.#server = createServer((inside) => {
      const outside = connect(Number(target.port), target.hostname);
      let passed = 0;
      for (const socket of [inside, outside]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => this.#sockets.delete(socket));
      }
      inside.on("data", (data) => {
        passed += data.length;
        if (passed > afterBytes && this.cuts < times) {
          this.cuts++;
          inside.destroy();
          outside.destroy();
        } else outside.write(data);
      });
      inside.on("end", () => outside.end());
      outside.pipe(inside);
    });
  }

  static async open(target: string, afterBytes: number, times: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(target), afterBytes, times);
    await once(proxy.#server.listen(0, "127.0.0.1"), "listening");
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
