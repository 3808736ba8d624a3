import type { Service } from "../service-process.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../../src/config/define-config.ts";
import { SluiceProcess } from "../sluice-process.ts";

/** A process that may be killed with all its children at any time, and started again. */
export interface Victim {
  readonly name: string;
  /** The one that runs now. */
  readonly process: SluiceProcess;
  start(): void;
  /** Not to be killed now. */
  isSpared?: boolean;
}

export const controllerOf = (service: Service): Victim => ({
  name: "controller",
  get process() {
    return service.controller;
  },
  // If it is killed while starting, it never prints its address. The killer notices one that ends by itself.
  start: () => void service.serve().catch(() => undefined),
});

export const workerOf = (service: Service, name: string): Victim =>
  restarted(name, () => service.worker("--processes", "1"));

export interface Machine {
  readonly folder: string;
  readonly config: Config;
  readonly env: Readonly<Record<string, string>>;
  /** A command that runs its processes. */
  readonly within: readonly string[];
}

/** A worker with its own folder, which reaches the service's data only through the controller. */
export const remoteWorkerOf = (name: string, { folder, config, env, within }: Machine): Victim => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "sluice.config.ts"), `export default ${JSON.stringify(config)};\n`);
  return restarted(name, () => new SluiceProcess(["worker"], env, folder, "ignore", within));
};

const restarted = (name: string, start: () => SluiceProcess): Victim => {
  let process = start();
  return {
    name,
    get process() {
      return process;
    },
    start: () => void (process = start()),
  };
};
