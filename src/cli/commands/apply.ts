import { existsSync } from "node:fs";
import type { Command } from "commander";
import { EXIT, UsageError } from "../exit.ts";
import { placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print } from "../terminal.ts";
import { plainText } from "../text.ts";

const HELP = `
\`sluice serve\` does the same with its own configuration when it starts. With --server, the declarations of this configuration are sent to the
server: schedules that are no longer declared stay there.

Examples:
  sluice apply --dry-run
  sluice apply --server https://sluice.example.org
  sluice apply ../teams/tax/sluice.config.ts`;

interface ApplyOptions extends PlaceOptions {
  readonly dryRun: boolean;
}

export const register = (program: Command, toAction: ToAction): void => {
  const apply = program
    .command("apply")
    .summary("Make the input sets, datasets and schedules of sluice.config.ts effective")
    .description("Create or change the input sets, datasets and schedules that sluice.config.ts declares")
    .argument("[file]", "configuration (default: sluice.config.ts of this folder or one above)")
    .option("--dry-run", "only show what would change", false)
    .addHelpText("after", HELP);
  placeOptions(apply).action(toAction(applyFile));
};

const applyFile = async (file: string | undefined, options: ApplyOptions): Promise<number> => {
  if (file !== undefined && !existsSync(file)) throw new UsageError(`${file}: the file does not exist.`);
  const { loadConfig } = await import("../../config/load-config.ts");
  const project = await loadConfig(file);
  if (!project)
    throw new UsageError(
      `${file ?? "."}: there is no sluice.config.ts. Name the file, or run the command in its folder.`,
    );
  await using verbs = await openVerbs(options, { makes: true });
  const applied = await verbs.apply(project, options.dryRun);
  if (options.json) print([JSON.stringify(applied)]);
  else if (applied.length === 0)
    print([`${project.file} declares no input sets, datasets or schedules, and none were declared before.`]);
  else
    print(
      applied.map(
        ({ what, name, result }) =>
          `${(options.dryRun ? WOULD[result] : result).padEnd(15)} ${what} ${plainText(name)}`,
      ),
    );
  return EXIT.ok;
};

const WOULD = {
  created: "would create",
  changed: "would change",
  unchanged: "unchanged",
  removed: "would remove",
  compared: "would compare",
} as const;
