/** A sound process may wait for its turn on a busy machine; one that is silent for so many times the limit is waiting for something else. */
const PATIENCE = 6;

/**
 * Whether code that was silent for so long stands still. What counts is the processor time that it had meanwhile, where the system tells it: an
 * endless loop uses half of a core even beside others, while one that was kept waiting has hardly run.
 */
export const isStalled = (silentMs: number, ranMs: number | undefined, limitMs: number): boolean =>
  silentMs > limitMs && (ranMs === undefined || ranMs > limitMs / 2 || silentMs > PATIENCE * limitMs);

/** The processor time of a thread; none of one that has not begun to run, or has ended. */
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
