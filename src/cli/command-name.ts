import { basename, delimiter, dirname, relative, resolve } from "node:path";
import { shellWord } from "./shell-word.ts";

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
