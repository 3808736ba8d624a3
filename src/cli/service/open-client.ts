import { SluiceClient } from "../../client.ts";
import { isWithin, RANGES, readDuration } from "../../domain/number-range.ts";
import { UsageError } from "../exit.ts";

const CONNECT_VARIABLE = "SLUICE_CONNECT_TIMEOUT";
const CONNECT_MS = 10_000;
const RETRIES = 3;

/** A client with its own timeouts instead of those of Node's `fetch`. */
export const openClient = async (
  server: string,
  key: string | undefined,
  idleMs: number | undefined,
): Promise<SluiceClient> => {
  const { Agent, fetch } = await import("undici");
  const dispatcher = new Agent({ connect: { timeout: connectMs() }, headersTimeout: 0, bodyTimeout: 0 });
  const send = (url: URL, init: object): unknown => fetch(url, { ...init, dispatcher });
  return new SluiceClient({
    server,
    retries: RETRIES,
    // undici's types are those of Node's `fetch` under other names.
    fetch: send as typeof globalThis.fetch,
    ...(key !== undefined && { key }),
    ...(idleMs !== undefined && { idleMs }),
  });
};

const connectMs = (): number => {
  const text = process.env[CONNECT_VARIABLE];
  if (text === undefined || text === "") return CONNECT_MS;
  const ms = readDuration(text);
  if (ms !== undefined && ms > 0 && isWithin(RANGES.idleMs, ms)) return ms;
  throw new UsageError(`${CONNECT_VARIABLE} is ${text}: expected a duration up to a day, for example 30s.`);
};
