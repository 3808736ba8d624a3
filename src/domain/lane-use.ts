/** Requests that were sent in a lane: a sum in which each counts less the longer ago it was. It needs no timer: it decays when it is read. */
export interface LaneUse {
  readonly used: number;
  readonly usedAt: number;
}

/** After this time a request counts a third of what it did: the rate is about that of the last ten seconds. */
const WINDOW_MS = 10_000;

/** A clock that was set back makes it no larger. */
const sumAt = ({ used, usedAt }: LaneUse, now: number): number =>
  used * Math.exp(-Math.max(0, now - usedAt) / WINDOW_MS);

export const addUse = (use: LaneUse, requests: number, now: number): LaneUse => ({
  used: sumAt(use, now) + requests,
  usedAt: now,
});

/** Below this nothing was sent for minutes. */
const LOWEST = 1e-3;

export const usedPerSecond = (use: LaneUse, now: number): number => {
  const perSecond = (sumAt(use, now) * 1000) / WINDOW_MS;
  return perSecond < LOWEST ? 0 : perSecond;
};
