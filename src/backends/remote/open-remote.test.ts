import fastify from "fastify";
import type { AddressInfo } from "node:net";
import { answerProblem } from "../../controller/answer-problem.ts";
import type { Api } from "../../controller/api.ts";
import { addLedgerRoutes } from "../../controller/routes/ledger.ts";
import { ledgerSuite } from "../../ports/ledger.suite.ts";
import type { OpenLedger } from "../../ports/ledger-suite/world.ts";
import { openChecked } from "../sqlite/open-checked.suite.ts";
import { openRemote } from "./open-remote.ts";

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A controller with nothing but the ledger's routes. Time stands still while calls are on their way. */
const open: OpenLedger = async (folder, options) => {
  const ledger = await openChecked(folder, options);
  const steadyMs = (): number => 0;
  const app = fastify({ forceCloseConnections: true }) as unknown as Api;
  app.decorateRequest("isUnlogged", false);
  app.addHook("onRequest", async (request) => void (request.who = { client: "", role: "admin" }));
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, quiet));
  addLedgerRoutes(app, { house: { ledger, steadyMs } });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const { ledger: remote } = await openRemote({ url: `http://127.0.0.1:${port}`, steadyMs });
  const close = async (): Promise<void> => {
    await remote.close();
    await app.close();
    await ledger.close();
  };
  return new Proxy(remote, { get: (target, name) => (name === "close" ? close : Reflect.get(target, name)) });
};

ledgerSuite("sqlite behind the remote ledger", open);
