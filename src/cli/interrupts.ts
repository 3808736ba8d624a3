/** See bin/hang-up.js: it was started to outlive its terminal. */
const isDetached = process.env["SLUICE_NOHUP"] !== undefined;
const SIGNALS = ["SIGINT", "SIGTERM", ...(isDetached ? [] : (["SIGHUP"] as const))] as const;
/** See bin/end-with-parent.js. */
const PARENT_GONE = "sluice:parent-gone";
/** Docker kills what has not ended 10 s after it was asked to. */
export const DRAIN_MS = 8000;

/**
 * The first signal asks for an orderly end, the second one does not wait for it; nor is it waited for longer than `drainMs`. Without that, a person who
 * presses Ctrl-C decides how long to wait.
 */
export const listenForInterrupts = (
  onSecond: () => void,
  drainMs?: number,
): Disposable & { readonly signal: AbortSignal } => {
  const controller = new AbortController();
  let patience: NodeJS.Timeout | undefined;
  const begin = (limitMs: number | undefined): void => {
    controller.abort();
    if (limitMs !== undefined) patience ??= setTimeout(onSecond, limitMs).unref();
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
      clearTimeout(patience);
      for (const signal of SIGNALS) process.off(signal, hear);
      (process as NodeJS.EventEmitter).off(PARENT_GONE, hearGone);
    },
  };
};
