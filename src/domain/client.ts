interface Share {
  readonly weight: number;
  readonly itemsPerDay?: number;
  readonly requestsPerDay?: number;
  readonly bytesPerDay?: number;
  readonly costPerDay?: number;
  readonly maxRunning?: number;
  readonly requestsPerMinute?: number;
  readonly maxOpenJobs?: number;
  readonly maxStoredBytes?: number;
}

/** Null removes a limit; omitted properties stay unchanged. */
type ShareChange = { readonly [Name in keyof Share]?: Share[Name] | null | undefined };

export const changeShare = <Info extends Share>(info: Info, to: ShareChange): Info => {
  const {
    weight: _,
    itemsPerDay,
    requestsPerDay,
    bytesPerDay,
    costPerDay,
    maxRunning,
    requestsPerMinute,
    maxOpenJobs,
    maxStoredBytes,
    ...rest
  } = info;
  const limits = {
    itemsPerDay: changed(itemsPerDay, to.itemsPerDay),
    requestsPerDay: changed(requestsPerDay, to.requestsPerDay),
    bytesPerDay: changed(bytesPerDay, to.bytesPerDay),
    costPerDay: changed(costPerDay, to.costPerDay),
    maxRunning: changed(maxRunning, to.maxRunning),
    requestsPerMinute: changed(requestsPerMinute, to.requestsPerMinute),
    maxOpenJobs: changed(maxOpenJobs, to.maxOpenJobs),
    maxStoredBytes: changed(maxStoredBytes, to.maxStoredBytes),
  };
  const kept = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  return { ...rest, weight: to.weight ?? info.weight, ...Object.fromEntries(kept) } as Info;
};

const changed = (limit: number | undefined, to: number | null | undefined): number | undefined =>
  to === undefined ? limit : (to ?? undefined);

/** Owns the jobs that the command line starts, and the requests to a server without keys. */
export const LOCAL_CLIENT = "local";

/** A client's name. `local` and `try` own the jobs of the command line. */
export const CLIENT_NAME = /^(?!(?:local|try)$)[a-z0-9][a-z0-9._-]{0,63}$/;
