import fastify from "fastify";
import type { AddressInfo } from "node:net";
import { answerProblem } from "../../api/answer-problem.ts";
import type { Api } from "../../api/api.ts";
import { addBlobRoutes } from "../../api/routes/blobs.ts";
import { addLedgerRoutes } from "../../api/routes/ledger.ts";
import type { Blobs } from "../../ports/blobs.ts";
import type { Ledger } from "../../ports/ledger.ts";

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface RemoteWays {
  readonly steadyMs?: () => number;
  /** Whether the connection breaks after the call took effect, before the response is sent. */
  readonly isLost?: () => boolean;
}

interface RemoteKit {
  readonly url: string;
  close(): Promise<void>;
}

/** A controller on loopback with only the routes for workers. Its connections do not keep the process alive. */
export const serveRemote = async (
  { ledger, blobs }: { readonly ledger: Ledger; readonly blobs: Blobs },
  { steadyMs, isLost = () => false }: RemoteWays = {},
): Promise<RemoteKit> => {
  const app = fastify({ forceCloseConnections: true }) as unknown as Api;
  app.decorateRequest("isUnlogged", false);
  app.addHook("onRequest", async (request) => void (request.actor = { client: "", role: "admin" }));
  app.addHook("onSend", async ({ raw }) => void (isLost() && raw.socket.destroy()));
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, quiet));
  const service = { ledger, blobs, log: quiet, ...(steadyMs && { steadyMs }) };
  addLedgerRoutes(app, { service });
  addBlobRoutes(app, { service, streams: { open: () => undefined } });
  app.server.on("connection", (socket) => socket.unref());
  await app.listen({ host: "127.0.0.1", port: 0 });
  app.server.unref();
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => app.close() };
};
