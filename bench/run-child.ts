import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface ChildOptions {
  readonly timeoutMs?: number;
  readonly nodeArgs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** As `sluice` sets it for its worker processes. The peers get it too. */
const NODE_COMPILE_CACHE = join(tmpdir(), "node-compile-cache");

/** A process may hang while it exits. The bench waits no longer than this. */
const EXIT_MS = 5_000;

/**
 * Runs a script in a process of its own, with the task as its one argument, and takes the JSON of its last line. Every
 * contender is measured this way, so that none inherits another's warm code or memory.
 */
export const runChild = async <Result>(
  script: string,
  task: unknown,
  options: ChildOptions = {},
): Promise<Result> => {
  const { timeoutMs = 600_000, nodeArgs = [], env = {}, cwd } = options;
  const child = spawn(process.execPath, [...nodeArgs, script, JSON.stringify(task)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE, ...env },
    ...(cwd !== undefined && { cwd }),
  });
  let output = "";
  let errors = "";
  let result: Result | undefined;
  const end = (): boolean => child.kill("SIGKILL");
  let timer = setTimeout(end, timeoutMs);
  child.stderr.on("data", (bytes: Buffer) => (errors = `${errors}${bytes.toString()}`.slice(-4_000)));
  child.stdout.on("data", (bytes: Buffer) => {
    output += bytes.toString();
    const line = output.split("\n").findLast((text) => text.startsWith("{") && text.endsWith("}"));
    if (line === undefined || result !== undefined) return;
    result = JSON.parse(line) as Result;
    clearTimeout(timer);
    timer = setTimeout(end, EXIT_MS);
  });
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(timer);
  if (result !== undefined) return result;
  throw new Error(`${script} gave no result (exit ${code ?? "by signal"})\n${errors}`);
};
