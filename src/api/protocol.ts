import { PROTOCOL, PROTOCOL_HEADER, VERSION_HEADER } from "../ports/ledger-wire.ts";
import type { Api } from "./api.ts";
import { Problem } from "../services/problem.ts";

/** For routes that only workers use, which must speak the same protocol as this controller. There are too many requests to log. */
export const addProtocol = (scope: Api, version: string): void => {
  scope.addHook("onRequest", async (request, reply) => {
    request.isUnlogged = true;
    void reply.headers({ [PROTOCOL_HEADER]: PROTOCOL, [VERSION_HEADER]: version });
    const theirs = Number(request.headers[PROTOCOL_HEADER] ?? 0);
    if (theirs === PROTOCOL) return;
    const side = theirs > PROTOCOL ? "controller" : "worker";
    const their = String(request.headers[VERSION_HEADER] ?? "unknown version").slice(0, 50);
    throw new Problem(
      "other-protocol",
      `The worker (${their}) speaks version ${theirs} of the protocol between workers and controller, the controller (${version}) speaks version ${PROTOCOL}. Upgrade the ${side}.`,
    );
  });
};
