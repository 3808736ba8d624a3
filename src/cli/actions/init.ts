import { resolve } from "node:path";
import { folderProblem, type MadeProject, makeProject, otherFiles } from "../../devtools/make-project.ts";
import { EXIT, UsageError } from "../exit.ts";
import { print } from "../terminal.ts";
import { shellWord } from "../text.ts";

export interface InitOptions {
  /** Add missing files to a folder that is not empty. */
  readonly force: boolean;
}

const SHOWN = 5;

export const initCommand = async (folder: string, { force }: InitOptions): Promise<number> => {
  const problem = folderProblem(folder);
  if (problem !== undefined)
    throw new UsageError(`${folder}: cannot create a project: ${problem}. Choose another folder.`);
  const there = otherFiles(folder);
  if (there.length > 0 && !force) {
    const rest = there.length > SHOWN ? ` and ${there.length - SHOWN} more` : "";
    throw new UsageError(
      `${folder}: the folder is not empty; it has ${there.slice(0, SHOWN).join(", ")}${rest}. ` +
        "Choose another folder, or use --force to add the missing files; existing files stay unchanged.",
    );
  }
  const { written, kept, completesManifest } = made(folder);
  print([
    `${written.length === 0 ? "Nothing to add to" : "Created a project in"} ${folder}`,
    ...written.map((file) => `  ${file}`),
    ...(completesManifest ? ["Completed:", "  package.json"] : []),
    ...(kept.length === 0 ? [] : ["Unchanged:", ...kept.map((file) => `  ${file}`)]),
    "",
    "Next:",
    ...(resolve(folder) === process.cwd() ? [] : [`  cd ${shellWord(folder)}`]),
    "  npm install",
    "  npx sluice test                 test the example against its fixture, offline",
    "  node site.js &                  start a small local site",
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
    throw new UsageError(`${folder}: cannot write the project: ${reason}. Choose another folder.`);
  }
};
