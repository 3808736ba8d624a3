import { spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { UsageError } from "./usage-error.ts";

/** A launcher that has not failed by then is taken to have done its work. */
const PATIENCE_MS = 3000;

/** With `BROWSER`, or else as the system opens files. The page must be safe to open. */
export const openInBrowser = async (path: string, env: NodeJS.ProcessEnv = process.env): Promise<void> => {
  const [command, ...args] = launcher(env);
  const problem = await launch(command, [...args, path]);
  if (problem !== undefined)
    throw new UsageError(
      `cannot open a browser (${command}: ${problem}). Open ${path} yourself, set BROWSER to a program, or print the page with --html.`,
    );
};

const launcher = ({ BROWSER = "" }: NodeJS.ProcessEnv): [string, ...string[]] => {
  // Some systems give several, divided by colons.
  const [first = ""] = BROWSER.split(":");
  if (first.trim() !== "") return [first.trim()];
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["explorer"] : ["xdg-open"];
};

/** Undefined where it began, and did not fail at once. */
const launch = async (command: string, args: readonly string[]): Promise<string | undefined> => {
  const child = spawn(command, args, { stdio: "ignore", detached: true });
  const end = new Promise<string | undefined>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    child.once("exit", (code) => resolve(code === 0 ? undefined : `exit code ${code}`));
  });
  const waited = new AbortController();
  try {
    return await Promise.race([
      end,
      delay(PATIENCE_MS, undefined, { signal: waited.signal }).catch(() => undefined),
    ]);
  } finally {
    waited.abort();
    child.unref();
  }
};
