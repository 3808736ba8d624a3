import { once } from "node:events";
import type { Command } from "commander";
import type { InputSet } from "../../client.ts";
import type { InputFormat } from "../../inputs/input-format.ts";
import { EXIT, UsageError } from "../exit.ts";
import { listOf, wholeNumber } from "../option-values.ts";
import { given, inputOptions, placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { countText, plainText, textTable } from "../text.ts";

const HELP = `
Examples:
  sluice inputs upload parcels --input parcels.csv --key parcel
  sluice inputs add parcels --input new-parcels.csv
  sluice inputs remove parcels --input demolished.csv
  sluice inputs diff parcels --from 1 --to 2
  sluice inputs read parcels > parcels.ndjson
  sluice schedules create county-weekly --scraper county --set parcels --cron "0 6 * * mon" --zone America/Chicago`;

const SET_HELP = "name of the input set";

interface UploadOptions extends PlaceOptions {
  readonly input?: string;
  readonly format?: InputFormat;
  readonly key?: readonly string[];
  readonly client?: string;
}

interface VersionOptions extends PlaceOptions {
  readonly version?: number;
}

interface DiffOptions extends PlaceOptions {
  readonly from?: number;
  readonly to?: number;
  readonly examples?: number;
}

const HOWS = {
  upload: ["replace", "Upload a set, or replace its rows in a new version"],
  add: ["add", "Add rows to a set, in a new version"],
  remove: ["remove", "Remove rows from a set, in a new version"],
} as const;

export const register = (program: Command, toAction: ToAction): void => {
  const inputs = program
    .command("inputs")
    .description("Input sets: named, versioned lists of inputs for jobs and schedules")
    .helpCommand(false)
    .addHelpText("after", HELP);
  placeOptions(inputs.command("ls").description("List the input sets")).action(toAction(listSets));
  placeOptions(
    inputs.command("show").description("Show the versions of a set").argument("<set>", SET_HELP),
  ).action(toAction(showSet));
  for (const [name, [how, description]] of Object.entries(HOWS)) {
    const command = inputOptions(inputs.command(name).description(description).argument("<set>", SET_HELP));
    if (how === "replace")
      command
        .option("--key <names>", "for a new set: columns that identify a row, separated by commas", listOf)
        .option("--client <name>", "for a new set: the client that owns it");
    placeOptions(command).action(
      toAction((set: string, options: UploadOptions) => uploadRows(set, options, how)),
    );
  }
  const diff = inputs
    .command("diff")
    .description("Compare two versions of a set")
    .argument("<set>", SET_HELP)
    .option("--from <n>", "the older version (default: the previous one)", wholeNumber)
    .option("--to <n>", "the newer version (default: the newest)", wholeNumber)
    .option("--examples <n>", "number of rows to show of each kind", wholeNumber);
  placeOptions(diff).action(toAction(diffSet));
  const read = inputs
    .command("read")
    .description("Write the rows of a set to standard output, as JSON lines")
    .argument("<set>", SET_HELP)
    .option("--version <n>", "version to write (default: the newest)", wholeNumber);
  placeOptions(read).action(toAction(readSet));
  placeOptions(
    inputs.command("rm").description("Remove a set with all of its versions").argument("<set>", SET_HELP),
  ).action(toAction(removeSet));
};

const listSets = async (options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { pages } = await import("../../client.ts");
  const sets: InputSet[] = [];
  for await (const set of pages((page) => verbs.inputSets.list(page), 200)) sets.push(set);
  if (options.json) print(sets.map((set) => JSON.stringify(set)));
  else if (sets.length === 0)
    print(["No input sets yet. Upload one with `sluice inputs upload NAME --input FILE`."]);
  else
    print(
      textTable(
        ["set", "key", { right: "rows" }, { right: "version" }, "changed", "by"],
        sets.map(({ name, key, versions: [last] }) => [
          plainText(name),
          plainText(key?.join(", ") ?? ""),
          countText(last?.rows ?? 0),
          String(last?.version ?? 0),
          (last?.at ?? "").slice(0, 16),
          plainText(last?.by ?? ""),
        ]),
        printWidth(),
      ),
    );
  return EXIT.ok;
};

const showSet = async (name: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  printSet(await verbs.inputSets.get(name), options);
  return EXIT.ok;
};

const printSet = (set: InputSet, { json }: PlaceOptions): void => {
  if (json) return print([JSON.stringify(set)]);
  const table = textTable(
    [{ right: "version" }, "at", "how", { right: "rows" }, "by"],
    set.versions.map(({ version, at, how, rows, by }) => [
      String(version),
      at.slice(0, 19),
      how,
      countText(rows),
      plainText(by),
    ]),
    printWidth(),
  );
  print([
    `${plainText(set.name)}: ${set.key ? `key ${set.key.map(plainText).join(", ")}` : "no key: a row is identified by all of its columns"}`,
    ...table,
  ]);
};

const uploadRows = async (
  name: string,
  options: UploadOptions,
  change: "replace" | "add" | "remove",
): Promise<number> => {
  const { input, format, key, client } = options;
  if (input === undefined)
    throw new UsageError("no inputs. Name a file with --input FILE, or read stdin with --input -");
  const { rowsOf } = await import("../service/remote-apply.ts");
  await using verbs = await openVerbs(options, { makes: true });
  const { set, isNew, folded } = await verbs.inputSets.upload(name, rowsOf(input, given({ format })), {
    change,
    ...given({ key, client }),
  });
  const [last] = set.versions;
  if (options.json) print([JSON.stringify({ set, isNew, folded })]);
  else {
    const twice = folded > 0 ? `, ${countText(folded)} duplicates ignored` : "";
    const what = isNew ? "version" : "unchanged, version";
    print([`${plainText(name)}: ${what} ${last?.version} with ${countText(last?.rows ?? 0)} rows${twice}.`]);
  }
  return EXIT.ok;
};

const diffSet = async (name: string, options: DiffOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { from, to, examples } = options;
  const diff = await verbs.inputSets.diff(name, given({ from, to, examples }));
  if (options.json) {
    print([JSON.stringify(diff)]);
    return EXIT.ok;
  }
  print([
    `${plainText(name)}, version ${diff.from} to ${diff.to}: ${countText(diff.added)} added, ${countText(diff.removed)} removed, ${countText(diff.changed)} changed, ${countText(diff.unchanged)} unchanged.`,
    ...diff.examples.added.map((row) => `  + ${plainText(JSON.stringify(row))}`),
    ...diff.examples.removed.map((row) => `  - ${plainText(JSON.stringify(row))}`),
    ...diff.examples.changed.map((row) => `  ~ ${plainText(JSON.stringify(row))}`),
  ]);
  return EXIT.ok;
};

const readSet = async (name: string, options: VersionOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const version = options.version ?? (await verbs.inputSets.get(name)).versions[0]?.version ?? 1;
  for await (const chunk of await verbs.inputSets.read(name, version))
    if (!process.stdout.write(chunk)) await once(process.stdout, "drain");
  return EXIT.ok;
};

const removeSet = async (name: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const set = await verbs.inputSets.remove(name);
  print([options.json ? JSON.stringify(set) : `${plainText(name)}: removed.`]);
  return EXIT.ok;
};
