import { createServer, type RequestListener, type Server } from "node:http";

export interface Listening {
  readonly port: number;
  readonly servers: readonly Server[];
}

const TRIES = 20;

/** Listens on the same port of every address. Port 0: the system chooses for the first, and again while another clashes. */
export async function listenOnAll(
  hosts: readonly string[],
  port: number,
  listenerFor: (host: string) => RequestListener,
): Promise<Listening> {
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    try {
      let shared = port;
      for (const host of hosts) {
        const server = createServer({ keepAliveTimeout: 65_000 }, listenerFor(host));
        servers.push(server);
        shared = await listen(server, host, shared);
      }
      return { port: shared, servers };
    } catch (error) {
      await Promise.all(servers.map(closeServer));
      const isClash = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
      if (!isClash || port !== 0 || attempt === TRIES) throw error;
    }
  }
}

export function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return closed;
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, backlog: 4096 }, () => {
      server.off("error", reject);
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : port);
    });
  });
}
