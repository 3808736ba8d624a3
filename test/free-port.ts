import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that the system assigns to listeners on port 0 and to outgoing connections. */
const [LOWEST, HIGHEST] = [10_000, 32_000];

/**
 * A port for something that listens later, or again after it was killed. The system does not assign it to another process
 * meanwhile, as it may with a port that was released after listening on port 0.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const server = createServer();
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
    } catch {
      continue; // taken
    }
    server.close();
    await once(server, "close");
    return port;
  }
};
