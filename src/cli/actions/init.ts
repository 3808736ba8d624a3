import { resolve } from "node:path";
import { folderProblem } from "../../devtools/draft/make-folder.ts";
import { type MadeProject, makeProject, standsInTheWay } from "../../devtools/draft/make-project.ts";
import { EXIT, UsageError } from "../exit.ts";
import { print } from "../terminal.ts";
import { shellWord } from "../text.ts";

export interface InitOptions {
  /** Add what is missing to a folder that has files. */
  readonly force: boolean;
}

const SHOWN = 5;

/** Makes a project that runs at once. */
export const initCommand = async (folder: string, { force }: InitOptions): Promise<number> => {
  const problem = folderProblem(folder);
  if (problem !== undefined)
    throw new UsageError(`${folder}: no project can be made there, ${problem}. Choose another folder.`);
  const there = standsInTheWay(folder);
  if (there.length > 0 && !force) {
    const rest = there.length > SHOWN ? ` and ${there.length - SHOWN} more` : "";
    throw new UsageError(
      `${folder}: not empty, it has ${there.slice(0, SHOWN).join(", ")}${rest}. ` +
        "Choose another folder, or add the missing files with --force, which changes none that is there.",
    );
  }
  const { written, kept } = made(folder);
  print([
    `${written.length === 0 ? "Nothing to add to" : "Made a project in"} ${folder}`,
    ...written.map((file) => `  ${file}`),
    ...(kept.length === 0 ? [] : ["Left as they were:", ...kept.map((file) => `  ${file}`)]),
    "",
    "Next:",
    ...(resolve(folder) === process.cwd() ? [] : [`  cd ${shellWord(folder)}`]),
    "  npm install",
    "  npx sluice test                 the example over its fixture, without the network",
    "  node site.js &                  a small site to run it on, on this machine",
    "  npx sluice run tools --input scrapers/tools/inputs.csv --output tools.csv",
    "  npx sluice new scraper NAME --url URL",
  ]);
  return EXIT.ok;
};

const made = (folder: string): MadeProject => {
  try {
    return makeProject(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${folder}: the project cannot be written, ${reason}. Choose another folder.`);
  }
};
