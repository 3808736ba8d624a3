import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Attack, unexpected, times } from "../attack.ts";
import type { AttackKit } from "../attack-kit.ts";

/** Wrong keys that one address may send: at once, and then per second. Docs: "The service", limits. */
const [WRONG_AT_ONCE, WRONG_PER_SECOND] = [1_200, 20];

const LOG_BYTES_A_MINUTE = 400_000;

const flood: Attack = {
  name: "a flood of wrong keys",
  async run(kit, { unauthenticated: number }) {
    const before = kit.unauthenticatedLogBytes;
    const begunAt = performance.now();
    const statuses = new Map<number, number>();
    for (let n = 0; n < number; n += 50) {
      const replies = await times(50, (m) =>
        kit.ask(`sluice_${"a".repeat(39)}${n + m}`, "/v1/jobs", { from: "127.0.0.9" }),
      );
      for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    const grown = kit.unauthenticatedLogBytes - before;
    const seconds = (performance.now() - begunAt) / 1000;
    const allowed = WRONG_AT_ONCE + WRONG_PER_SECOND * seconds;
    // On a busy machine they may come slowly enough to be no flood.
    if (!statuses.has(429) && number > allowed) return `all were looked up: ${JSON.stringify([...statuses])}`;
    return grown > LOG_BYTES_A_MINUTE * Math.ceil(seconds / 60)
      ? `they wrote ${grown} bytes of log`
      : undefined;
  },
};

const unknownPaths: Attack = {
  name: "a flood of unknown paths, without keys",
  async run(kit, { unauthenticated: number }) {
    for (let n = 0; n < number; n += 50) {
      const replies = await times(50, (m) =>
        kit.ask("", `/v1/${"x".repeat(1_000)}/${n + m}?q=${"%20".repeat(1_000)}`, { from: "127.0.0.10" }),
      );
      const wrong = unexpected(replies, 401, 404, 429);
      if (wrong) return wrong;
    }
    return undefined;
  },
};

const socketTo = async (kit: AttackKit): Promise<Socket> => {
  const { hostname, port } = new URL(kit.service.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: "127.0.0.11" });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
};

const hugeHeaders: Attack = {
  name: "heads of 1 MB, and many of them",
  async run(kit) {
    const answers = await times(20, async () => {
      const socket = await socketTo(kit);
      socket.write(`GET /v1/jobs HTTP/1.1\r\nhost: a\r\n${`x: ${"y".repeat(1_000)}\r\n`.repeat(1_000)}\r\n`);
      let text = "";
      socket.on("data", (data: Buffer) => (text += data.toString())).on("error", () => undefined);
      await new Promise((over) => socket.once("close", over));
      return text.split(" ")[1] ?? "no answer";
    });
    // A connection that is cut while it still sends may lose its answer.
    const wrong = answers.find((status) => !["431", "413", "400", "no answer"].includes(status));
    return wrong && `answered ${wrong}`;
  },
};

const slowHeads: Attack = {
  name: "300 connections that never finish their head",
  async run(kit) {
    const sockets = await times(300, () => socketTo(kit));
    for (let n = 0; n < 10; n++) {
      for (const socket of sockets) if (!socket.destroyed) socket.write("GET /".slice(n, n + 1) || "x");
      await delay(100);
    }
    for (const socket of sockets) socket.destroy();
    return undefined;
  },
};

export const UNAUTHENTICATED: readonly Attack[] = [flood, unknownPaths, hugeHeaders, slowHeads];
