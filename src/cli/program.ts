import { Command } from "commander";
import { EXIT_CODES_HELP, optionDescription, takeConfig, type ToAction } from "./options.ts";

const HELP = `
Examples:
  sluice init my-scrapers                                      create a project that runs right away
  sluice new scraper county --url https://…                    draft a scraper from one page
  sluice try county --input parcel=0100000001                  run one item, step by step
  sluice capture county --input parcel=0100000001              save its pages as a test fixture
  sluice test                                                  test all scrapers against their fixtures

  sluice run county --input parcels.csv --output taxes.csv
  sluice run page --input urls.txt                             fetch and store a list of pages
  sluice resume last                                           continue the newest job
  sluice jobs show last                                        show its report
  sluice extract last                                          extract again from the stored pages
  sluice diff last@first last                                  show which records changed

  sluice serve --workers 2                                     run a server for several teams
  sluice submit county --input parcels.csv --server URL        start a job on the server
  sluice jobs watch last --server URL                          most commands accept --server
${EXIT_CODES_HELP}`;

interface CommandFile {
  readonly register: (program: Command, toAction: ToAction) => void;
}

interface ListedCommands {
  /** Heading in the help. */
  readonly group: string;
  readonly names: readonly string[];
  readonly load: () => Promise<CommandFile>;
}

/** All commands, in the order of the help. */
export const COMMANDS: readonly ListedCommands[] = [
  { group: "Jobs:", names: ["run", "resume"], load: () => import("./commands/run.ts") },
  { group: "Jobs:", names: ["jobs"], load: () => import("./commands/jobs.ts") },
  { group: "Jobs:", names: ["prune"], load: () => import("./commands/prune.ts") },
  { group: "Jobs:", names: ["items"], load: () => import("./commands/items.ts") },
  { group: "Jobs:", names: ["export"], load: () => import("./commands/export.ts") },
  { group: "Stored pages:", names: ["extract", "diff"], load: () => import("./commands/extract.ts") },
  { group: "Datasets:", names: ["datasets", "releases"], load: () => import("./commands/releases.ts") },
  { group: "Datasets:", names: ["drift"], load: () => import("./commands/drift.ts") },
  { group: "Scrapers:", names: ["init", "new"], load: () => import("./commands/init.ts") },
  { group: "Scrapers:", names: ["try", "capture", "test"], load: () => import("./commands/devtools.ts") },
  { group: "Scrapers:", names: ["recording"], load: () => import("./commands/recording.ts") },
  { group: "Scrapers:", names: ["distill"], load: () => import("./commands/distill.ts") },
  { group: "Server:", names: ["serve", "worker"], load: () => import("./commands/serve.ts") },
  { group: "Server:", names: ["apply"], load: () => import("./commands/apply.ts") },
  { group: "Server:", names: ["deploy"], load: () => import("./commands/deploy.ts") },
  { group: "Server:", names: ["versions"], load: () => import("./commands/versions.ts") },
  { group: "Server:", names: ["login"], load: () => import("./commands/login.ts") },
  { group: "Server:", names: ["submit"], load: () => import("./commands/submit.ts") },
  { group: "Schedules:", names: ["schedules"], load: () => import("./commands/schedules.ts") },
  { group: "Schedules:", names: ["inputs"], load: () => import("./commands/inputs.ts") },
  { group: "Operations:", names: ["workers", "scale"], load: () => import("./commands/workers.ts") },
  { group: "Operations:", names: ["lanes"], load: () => import("./commands/lanes.ts") },
  { group: "Operations:", names: ["clients"], load: () => import("./commands/clients.ts") },
  { group: "Operations:", names: ["audit"], load: () => import("./commands/audit.ts") },
  { group: "Operations:", names: ["doctor"], load: () => import("./commands/doctor.ts") },
  {
    group: "Operations:",
    names: ["fsck", "backup", "restore", "rebuild"],
    load: () => import("./commands/storage.ts"),
  },
  { group: "Operations:", names: ["migrate"], load: () => import("./commands/migrate.ts") },
];

/**
 * The command line with all commands, or only with the one that is `wanted`: the first request must not wait for the others to load.
 * `onEnd` gets the exit code.
 */
export const buildProgram = async (
  version: string,
  onEnd: (exitCode: number) => void,
  wanted?: string,
): Promise<Command> => {
  const program = new Command("sluice")
    .description(
      "Run scrape jobs with a hundred to many millions of items: paced, durable, with every field checked",
    )
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ optionDescription })
    .addHelpText("after", HELP);
  takeConfig(program);
  const toAction: ToAction =
    (run) =>
    async (...args) =>
      onEnd(await run(...args));
  const chosen = COMMANDS.filter(({ names }) => wanted !== undefined && names.includes(wanted));
  const loaded = await Promise.all(
    (chosen.length > 0 ? chosen : COMMANDS).map(async ({ group, load }) => ({ group, file: await load() })),
  );
  for (const { group, file } of loaded) {
    program.commandsGroup(group);
    file.register(program, toAction);
  }
  return program;
};
