import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface SlowRelay extends AsyncDisposable {
  readonly port: number;
}

/** Passes connections on to a port of this machine, and what clients send so much later: each round trip takes that much longer. */
export const startSlowRelay = async (to: number, delayMs: number): Promise<SlowRelay> => {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(to, "127.0.0.1");
    for (const socket of [client, target]) {
      sockets.add(socket.setNoDelay());
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        target.destroy();
      });
      socket.on("error", () => undefined);
    }
    passLater(client, target, delayMs);
    target.pipe(client);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const passLater = (from: Socket, to: Socket, delayMs: number): void => {
  const waiting: { readonly bytes: Buffer; readonly dueAt: number }[] = [];
  const pass = (): void => {
    while (waiting.length > 0 && waiting[0]!.dueAt <= performance.now()) to.write(waiting.shift()!.bytes);
    // A timer of less than a millisecond waits for a whole one.
    if (waiting.length > 0) setImmediate(pass);
  };
  from.on("data", (bytes) => {
    waiting.push({ bytes, dueAt: performance.now() + delayMs });
    if (waiting.length === 1) setTimeout(pass, delayMs);
  });
};
