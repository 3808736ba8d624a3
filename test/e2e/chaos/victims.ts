import type { Service } from "../service-process.ts";
import type { SluiceProcess } from "../sluice-process.ts";

/** A process that may be killed with all its children at any time, and started again. */
export interface Victim {
  readonly name: string;
  /** The one that runs now. */
  readonly process: SluiceProcess;
  start(): void;
}

export const controllerOf = (service: Service): Victim => ({
  name: "controller",
  get process() {
    return service.controller;
  },
  // Killed while it starts, it never says where it listens; one that ends by itself is found by the killer.
  start: () => void service.serve().catch(() => undefined),
});

export const workerOf = (service: Service, name: string): Victim => {
  const start = (): SluiceProcess => service.worker("--processes", "1");
  let process = start();
  return {
    name,
    get process() {
      return process;
    },
    start: () => void (process = start()),
  };
};
