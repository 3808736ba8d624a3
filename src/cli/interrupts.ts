/** Started to outlive its terminal, see bin/hang-up.js. */
const isDetached = process.env["SLUICE_NOHUP"] !== undefined;
const SIGNALS = ["SIGINT", "SIGTERM", ...(isDetached ? [] : (["SIGHUP"] as const))] as const;
/** See bin/end-with-parent.js. */
const PARENT_GONE = "sluice:parent-gone";
/** Docker kills a container 10 s after it asked it to stop. */
export const DRAIN_MS = 8000;

/**
 * The first signal aborts `signal`, for an orderly stop; the second one, or the end of `drainMs`, calls `onSecond`. Without `drainMs`, Ctrl-C waits as
 * long as the user does.
 */
export const listenForInterrupts = (
  onSecond: () => void,
  drainMs?: number,
): Disposable & { readonly signal: AbortSignal } => {
  const controller = new AbortController();
  let limit: NodeJS.Timeout | undefined;
  const begin = (limitMs: number | undefined): void => {
    controller.abort();
    if (limitMs !== undefined) limit ??= setTimeout(onSecond, limitMs).unref();
  };
  const hear = (signal: NodeJS.Signals): void => {
    if (controller.signal.aborted) onSecond();
    else begin(drainMs ?? (signal === "SIGINT" ? undefined : DRAIN_MS));
  };
  const hearGone = (): void => begin(drainMs ?? DRAIN_MS);
  for (const signal of SIGNALS) process.on(signal, hear);
  (process as NodeJS.EventEmitter).on(PARENT_GONE, hearGone);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      clearTimeout(limit);
      for (const signal of SIGNALS) process.off(signal, hear);
      (process as NodeJS.EventEmitter).off(PARENT_GONE, hearGone);
    },
  };
};
