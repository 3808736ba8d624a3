import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that the system gives to those who ask for any, and to outgoing connections. */
const [LOWEST, HIGHEST] = [10_000, 32_000];

/**
 * A port for something that listens later, or again after it was killed. It is not one that the system would hand to somebody else
 * meanwhile, as it does with a port that was asked for with 0 and given back.
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
