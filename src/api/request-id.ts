import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";

const SANE = /^[A-Za-z0-9._-]{1,64}$/;

/** The caller's own where it can stand in a log, else a new one. */
export const requestId = ({ headers }: Pick<IncomingMessage, "headers">): string => {
  const given = headers["x-request-id"];
  return typeof given === "string" && SANE.test(given) ? given : randomBytes(9).toString("base64url");
};
