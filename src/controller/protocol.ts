import { PROTOCOL, PROTOCOL_HEADER } from "../ports/ledger-wire.ts";
import type { Api } from "./api.ts";
import { Problem } from "./problem.ts";

/** For routes that only workers use, of the same version as this controller: there are too many requests to log. */
export const addProtocol = (scope: Api): void => {
  scope.addHook("onRequest", async (request, reply) => {
    request.isUnlogged = true;
    void reply.header(PROTOCOL_HEADER, PROTOCOL);
    const theirs = request.headers[PROTOCOL_HEADER];
    if (theirs !== String(PROTOCOL))
      throw new Problem(
        "other-protocol",
        `This controller speaks version ${PROTOCOL} of the workers' protocol, the worker ${String(theirs ?? "none").slice(0, 20)}. Run the same version of Sluice on both.`,
      );
  });
};
