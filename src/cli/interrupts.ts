/** The first signal asks for an orderly end, the second one does not wait for it. */
export const listenForInterrupts = (onSecond: () => void): Disposable & { readonly signal: AbortSignal } => {
  const controller = new AbortController();
  const hear = () => (controller.signal.aborted ? onSecond() : controller.abort());
  process.on("SIGINT", hear);
  process.on("SIGTERM", hear);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off("SIGINT", hear);
      process.off("SIGTERM", hear);
    },
  };
};
