import type { Socket } from "node:net";
import { FailureError } from "../../domain/failure.ts";

const MOST_BYTES = 64 * 1024;

/** Reads up to an end; what came after it stays in the socket. */
export const readUntil = (socket: Socket, endOf: (bytes: Buffer) => number | undefined): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let held: Buffer = Buffer.alloc(0);
    const take = (): void => {
      for (let chunk = socket.read() as Buffer | null; chunk; chunk = socket.read() as Buffer | null) {
        held = Buffer.concat([held, chunk]);
        const end = endOf(held);
        if (end === undefined && held.length <= MOST_BYTES) continue;
        socket.off("readable", take);
        if (end === undefined)
          return reject(new FailureError({ kind: "proxy", detail: "the proxy's answer is too large" }));
        if (held.length > end) socket.unshift(held.subarray(end));
        return resolve(held.subarray(0, end));
      }
    };
    socket.on("readable", take);
  });
