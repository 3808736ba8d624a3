import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { childEnvironment } from "../../bin/end-with-parent.js";

const SLUICE = resolve(import.meta.dirname, "../../bin/sluice.js");

export interface Typed {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Ctrl-C does not reach it: the demo ends it. */
  readonly isDetached?: boolean;
  /** Written to its stdin. */
  readonly input?: string;
}

const running = new Set<ChildProcess>();

/** Starts `sluice` as a user would; its stderr goes to this terminal. */
export const startSluice = (
  args: readonly string[],
  { env, cwd, isDetached = false }: Typed,
  stdio: ["inherit" | "pipe", "inherit" | "pipe", "inherit"],
): ChildProcess => {
  const child = spawn(process.execPath, [SLUICE, ...args], {
    stdio,
    detached: isDetached,
    env: { ...childEnvironment(), SLUICE_COMMAND: "npx sluice", ...env },
    ...(cwd !== undefined && { cwd }),
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
};

/** Its exit code. */
export const runSluice = async (args: readonly string[], typed: Typed): Promise<number> => {
  const child = startSluice(args, typed, [
    typed.input === undefined ? "inherit" : "pipe",
    "inherit",
    "inherit",
  ]);
  child.stdin?.end(typed.input);
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
};

/** Ending the demo ends what it has started. Ctrl-C reaches all processes by itself, and they finish their items in flight. */
export const endWithDemo = (): void => {
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => {
    for (const child of running) child.kill("SIGTERM");
  });
};
