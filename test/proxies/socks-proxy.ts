import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

interface SocksOptions {
  readonly user?: string;
  readonly password?: string;
  /** Names that only the proxy knows. */
  readonly names?: Readonly<Record<string, string>>;
  /** Answers each request with this reply code. */
  readonly reply?: number;
}

/** A SOCKS5 server that knows CONNECT, with or without a password. */
export const startSocksProxy = async ({ user, password, names = {}, reply }: SocksOptions = {}) => {
  const sockets = new Set<Socket>();
  const clients: Socket[] = [];
  const asked: string[] = [];
  const serve = async (client: Socket): Promise<void> => {
    const bytes = client[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    // Each message of our client comes in one piece on loopback.
    const next = async (): Promise<Buffer> => (await bytes.next()).value as Buffer;
    const [, , ...methods] = await next();
    const wanted = user === undefined ? 0 : 2;
    if (!methods.includes(wanted)) return void client.end(Buffer.from([5, 255]));
    client.write(Buffer.from([5, wanted]));
    if (wanted === 2) {
      const login = await next();
      const [name, secret] = [login.subarray(2, 2 + login[1]!), login.subarray(3 + login[1]!)];
      const isRight = name.toString() === user && secret.toString() === password;
      client.write(Buffer.from([1, isRight ? 0 : 1]));
      if (!isRight) return void client.end();
    }
    const request = await next();
    const host =
      request[3] === 3
        ? request.toString("latin1", 5, 5 + request[4]!)
        : [...request.subarray(4, 8)].join(".");
    const port = request.readUInt16BE(request.length - 2);
    asked.push(`${host}:${port}`);
    const site = connect({ host: names[host] ?? host, port });
    sockets.add(site);
    const answer = (code: number): boolean => client.write(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (reply !== undefined) return void (answer(reply), client.end());
    site.on("error", () => (answer(5), client.end()));
    site.once("connect", () => {
      answer(0);
      void (async () => {
        for (let part = await bytes.next(); !part.done; part = await bytes.next()) site.write(part.value);
        site.end();
      })().catch(() => site.destroy());
      site.pipe(client);
    });
    client.on("close", () => site.destroy());
  };
  const server = createServer((client) => {
    sockets.add(client);
    clients.push(client);
    client.on("error", () => undefined);
    serve(client).catch(() => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `socks5://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Every target, as the client named it. */
    asked,
    bytes: (): number =>
      clients.reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
};
