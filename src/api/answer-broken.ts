import type { Socket } from "node:net";
import { problemBody } from "./answer-problem.ts";
import { Problem } from "../services/problem.ts";
import { requestId } from "./request-id.ts";

const STATUS_LINES = {
  "too-large": "431 Request Header Fields Too Large",
  "invalid-request": "400 Bad Request",
} as const;

/** What is not even HTTP gets its problem all the same, by hand. */
export const answerBroken = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const code = error.code === "HPE_HEADER_OVERFLOW" ? "too-large" : "invalid-request";
  const body = JSON.stringify(
    problemBody(new Problem(code, "This is no HTTP request that can be read."), requestId({ headers: {} })),
  );
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${STATUS_LINES[code]}\r\nconnection: close\r\ncontent-type: application/problem+json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  socket.destroySoon();
};
