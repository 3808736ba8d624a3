import { Agent, buildConnector } from "undici";
import { repairHeads } from "./repair-heads.ts";
import { forbidden, TargetGuard, type TargetGuardOptions } from "./target-guard.ts";

/** Opens sockets to where the guard lets them. Addresses are judged by their spelling (no lookup is made for them), names by the lookup. */
const guardedConnector = (
  guard: TargetGuard,
  options: buildConnector.BuildOptions,
): buildConnector.connector => {
  const connect = repairHeads(buildConnector({ ...options, lookup: guard.lookup }));
  return (target, callback) => {
    const refusal = guard.refusalOf(target.hostname);
    if (refusal === undefined) connect(target, callback);
    else callback(forbidden(refusal), null);
  };
};

/** Sockets of its own: one that was opened for somebody who may go anywhere must not serve a request that may not. */
export const openGuardedAgent = (
  guard: TargetGuard,
  { connect, ...options }: Omit<Agent.Options, "connect"> & { readonly connect: buildConnector.BuildOptions },
): Agent =>
  new Agent({
    ...options,
    connect: guardedConnector(guard, { allowH2: options.allowH2 ?? false, ...connect }),
  });

/** For requests that are not an item's, such as webhooks: hand it to undici's `request` or `fetch` as `dispatcher`. */
export const guardedDispatcher = (options: TargetGuardOptions = {}): Agent =>
  openGuardedAgent(new TargetGuard(options), { allowH2: false, connect: { timeout: 10_000 } });

/** Why a URL is refused now, or undefined: to tell whoever gives it. The request itself needs the guarded dispatcher all the same. */
export const checkTarget = (url: URL, options: TargetGuardOptions = {}): Promise<string | undefined> =>
  new TargetGuard(options).refusalNow(url);
