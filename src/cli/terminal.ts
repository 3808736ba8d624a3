import { basename, delimiter, dirname, relative, resolve } from "node:path";
import picocolors from "picocolors";
import { shellWord } from "./text.ts";

let isListening = false;

/** Lines on standard output. A reader that has gone (`| head`) ends the program without a word. */
export const print = (lines: readonly string[]): void => {
  if (!isListening) {
    isListening = true;
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  if (lines.length > 0) process.stdout.write(`${lines.map(asCalled).join("\n")}\n`);
};

/** JSON is for programs, and stays as it is. */
const asCalled = (line: string): string => (line.startsWith("{") ? line : withCommandName(line));

/** As wide as the terminal; everything where there is none, for a program may read it. */
export const printWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Infinity);

interface Screen {
  readonly isTTY?: boolean;
}

/**
 * Colours are for a terminal. What a pipe or a file gets must stay searchable, so a build server's `CI` alone does not turn them
 * on; `FORCE_COLOR` does, and `NO_COLOR` turns them off everywhere.
 */
export const wantsColors = ({ isTTY }: Screen, env: NodeJS.ProcessEnv): boolean => {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM } = env;
  if (NO_COLOR !== "" || FORCE_COLOR === "0" || FORCE_COLOR === "false") return false;
  return FORCE_COLOR !== "" || (isTTY === true && TERM !== "dumb");
};

/** For what goes to standard output. */
export const colors = picocolors.createColors(wantsColors(process.stdout, process.env));

interface Called {
  readonly env?: Readonly<NodeJS.ProcessEnv>;
  /** The program's file as it was named, perhaps a link to it. */
  readonly script?: string | undefined;
  readonly cwd?: string;
}

/** How this program was called, for commands that can be pasted: `sluice`, `npx sluice`, `node bin/sluice.js`, or what SLUICE_COMMAND says. */
export const commandName = ({ env = process.env, script, cwd = process.cwd() }: Called = {}): string => {
  const own = env["SLUICE_COMMAND"];
  if (own !== undefined && own !== "") return own;
  // Where an older Node has started this one, it knows the name.
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

/** The same in a text that names commands, in backquotes or on lines of their own. */
export const withCommandName = (text: string, called?: Called): string =>
  text.includes("sluice ")
    ? text.replaceAll(/(?<=`|^[ ]+)sluice(?= [a-z])/gm, () => commandName(called))
    : text;
