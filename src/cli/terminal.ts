import { basename, delimiter, dirname, relative, resolve } from "node:path";
import picocolors from "picocolors";
import { shellWord } from "./text.ts";

/** Lines on standard output. */
export const print = (lines: readonly string[]): void => {
  if (lines.length > 0) process.stdout.write(`${lines.map(asCalled).join("\n")}\n`);
};

/** JSON is for programs and stays unchanged. */
const asCalled = (line: string): string => (line.startsWith("{") ? line : withCommandName(line));

/** The width of the terminal; unlimited without one, because a program may read the output. */
export const printWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Infinity);

interface Screen {
  readonly isTTY?: boolean;
}

/**
 * Colours are for terminals: output to a pipe or a file must stay searchable, so `CI` alone does not turn them on. `FORCE_COLOR` does, and
 * `NO_COLOR` turns them off everywhere.
 */
export const wantsColors = ({ isTTY }: Screen, env: NodeJS.ProcessEnv): boolean => {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM } = env;
  if (NO_COLOR !== "" || FORCE_COLOR === "0" || FORCE_COLOR === "false") return false;
  return FORCE_COLOR !== "" || (isTTY === true && TERM !== "dumb");
};

/** For standard output. */
export const colors = picocolors.createColors(wantsColors(process.stdout, process.env));

const SCREEN = 100;

/** The width of the terminal, or of readable text without one. */
export const screenWidth = (): number =>
  process.stdout.isTTY ? Math.max(60, process.stdout.columns) : SCREEN;

/** Calls `say` at most once per interval, first after one interval. For the progress of long work. */
export const throttled = <Args extends readonly unknown[]>(
  everyMs: number,
  say: (...args: Args) => void,
): ((...args: Args) => void) => {
  let saidAt = performance.now();
  return (...args) => {
    if (performance.now() - saidAt < everyMs) return;
    saidAt = performance.now();
    say(...args);
  };
};

interface Called {
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  /** Path of the program as it was called, perhaps of a link. */
  readonly script?: string | undefined;
  readonly cwd?: string;
}

/** How to call this program, for commands that can be pasted: `sluice`, `npx sluice`, `node bin/sluice.js`, or SLUICE_COMMAND. */
export const commandName = ({ env = process.env, script, cwd = process.cwd() }: Called = {}): string => {
  const own = env["SLUICE_COMMAND"];
  if (own !== undefined && own !== "") return own;
  // If an older Node started this one, it passed the name on.
  const file = script ?? env["SLUICE_CALLED_AS"] ?? process.argv[1] ?? "sluice";
  if (env["npm_command"] !== undefined) return "npx sluice";
  const folders = (env["PATH"] ?? "").split(delimiter).map((folder) => resolve(cwd, folder));
  const isProgram = /^sluice(\.cmd|\.ps1)?$/.test(basename(file));
  if (isProgram && folders.includes(resolve(cwd, dirname(file)))) return "sluice";
  const near = relative(cwd, resolve(cwd, file));
  const path = near.startsWith("..") ? resolve(cwd, file) : near;
  if (isProgram) return shellWord(path.includes("/") ? path : `./${path}`);
  return `node ${shellWord(path)}`;
};

/** Replaces `sluice` in the commands of a text, in backquotes or on separate lines. */
export const withCommandName = (text: string, called?: Called): string =>
  text.includes("sluice ")
    ? text.replaceAll(/(?<=`|^[ ]+)sluice(?= [a-z])/gm, () => commandName(called))
    : text;
