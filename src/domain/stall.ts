/** A healthy process may wait for CPU time on a busy machine; one that is silent for this many times the limit waits for something else. */
const PATIENCE = 6;

/**
 * Whether code that was silent for this long is stalled. Its CPU time in that period decides, if the system reports it: an
 * endless loop uses half a core even beside others, while code that had to wait has hardly run.
 */
export const isStalled = (silentMs: number, ranMs: number | undefined, limitMs: number): boolean =>
  silentMs > limitMs && (ranMs === undefined || ranMs > limitMs / 2 || silentMs > PATIENCE * limitMs);

/** The CPU time of a thread; 0 if it has not started or has ended. */
export const threadCpuMs = async (thread: {
  cpuUsage(): Promise<{ readonly user: number; readonly system: number }>;
}): Promise<number> => {
  try {
    const { user, system } = await thread.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
};
