import { type Command, Option } from "commander";
import type { Coming, Firing, NewSchedule, Schedule } from "../../client.ts";
import { type InputsFrom, inputsText, ITEM_CHOICES, type ItemChoice } from "../../domain/inputs-from.ts";
import { OVERLAPS } from "../../domain/schedule.ts";
import { STAGES, type StageName } from "../../domain/stage.ts";
import { EXIT, UsageError } from "../exit.ts";
import { durationIn, inputSet, inputValues, listOf, wholeNumber } from "../option-values.ts";
import { given, placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { countText, durationText, plainText, textTable } from "../text.ts";

const HELP = `
A controller (\`sluice serve\`) fires schedules, and workers run their jobs.

Examples:
  sluice schedules preview --cron "30 2 * * *" --zone Europe/Berlin
  sluice schedules create county-weekly --scraper county --cron "0 6 * * mon" --zone America/Chicago --set parcels
  sluice schedules create retries --scraper county --after county-weekly --items failed --kinds timeout,blocked
  sluice schedules show county-weekly
  sluice schedules run county-weekly
  sluice schedules backfill county-weekly --from 2026-10-01T00:00:00Z --to 2026-11-01T00:00:00Z
  sluice schedules repeat county-weekly 2026-11-16T12:00:00Z --stage extract`;

const NAME_HELP = "name of the schedule";

interface WhenOptions extends PlaceOptions {
  readonly cron?: string;
  readonly zone?: string;
  readonly every?: number;
  readonly after?: string;
  readonly jitter?: number;
}

interface CreateOptions extends WhenOptions {
  readonly scraper: string;
  readonly set?: Extract<InputsFrom, { readonly set: string }>;
  readonly input?: readonly Readonly<Record<string, unknown>>[];
  readonly url?: string;
  readonly file?: string;
  readonly items?: ItemChoice;
  readonly of?: string;
  readonly kinds?: readonly string[];
  readonly runs?: number;
  readonly weeks?: number;
  readonly overlap: NewSchedule["overlap"];
  readonly catchUp?: number;
  readonly stages?: readonly string[];
  readonly dataset?: string;
  readonly client?: string;
  readonly dryRun: boolean;
}

export const register = (program: Command, toAction: ToAction): void => {
  const schedules = program
    .command("schedules")
    .description("Start jobs at fixed times, and show their results")
    .helpCommand(false)
    .addHelpText("after", HELP);
  placeOptions(schedules.command("ls").alias("list").description("List the schedules")).action(
    toAction(listAll),
  );
  placeOptions(
    schedules
      .command("show")
      .description("Show a schedule, its next times and last firings")
      .argument("<schedule>", NAME_HELP),
  ).action(toAction(show));
  whenOptions(
    schedules.command("preview").description("Show the next five times, in the zone and in UTC"),
  ).action(toAction(preview));
  const create = schedules
    .command("create")
    .description("Create a schedule. Its next five times are shown before it is stored.")
    .argument("<schedule>", NAME_HELP)
    .requiredOption("--scraper <name>", "scraper of its jobs")
    .option("--set <name[@version]>", "inputs: an input set, its newest version by default", inputSet)
    .option("--input <item>", "inputs: one item, such as parcel=1 or a URL; repeatable", inputValues)
    .option("--url <url>", "inputs: a file at a URL, read when the job starts")
    .option(
      "--file <path>",
      "inputs: a file on the controller's machine, read when the job starts; not with --server",
    )
    .addOption(new Option("--items <which>", "inputs: those of earlier jobs").choices(ITEM_CHOICES))
    .option("--of <scraper>", "with --items: scraper of the earlier jobs; by default its own")
    .option("--kinds <list>", "with --items failed: only these failure kinds", listOf)
    .option("--runs <n>", "with --items changed: in the last N runs", wholeNumber)
    .option("--weeks <n>", "with --items unchecked: for N weeks", wholeNumber)
    .addOption(
      new Option("--overlap <policy>", "what to do if it fires while an earlier firing has not ended")
        .choices(OVERLAPS)
        .default("skip"),
    )
    .option(
      "--catch-up <duration>",
      "how late a firing may begin; by default one period",
      durationIn("catchUpMs"),
    )
    .option("--stages <list>", `stages of a firing: ${STAGES.join(",")}`, listOf)
    .option("--dataset <name>", "dataset for the stages audit and publish")
    .option("--client <name>", "client that owns the jobs")
    .option("--dry-run", "only show the times", false);
  whenOptions(create).action(toAction(createOne));

  const control = (name: string, description: string) =>
    placeOptions(schedules.command(name).description(description).argument("<schedule>", NAME_HELP));
  control("pause", "Stop firing; running firings continue").action(
    toAction(async (name: string, options: PlaceOptions) => {
      await using verbs = await openVerbs(options);
      return printed(
        options,
        await verbs.schedules.pause(name),
        "paused. Resume it with `sluice schedules resume`.",
      );
    }),
  );
  control("resume", "Continue firing, starting with the next time")
    .option("--catch-up", "also fire the last time that passed during the pause", false)
    .action(
      toAction(async (name: string, options: PlaceOptions & { readonly catchUp: boolean }) => {
        await using verbs = await openVerbs(options);
        return printed(options, await verbs.schedules.resume(name, { catchUp: options.catchUp }), "resumed.");
      }),
    );
  control("run", "Fire now, even while it is paused").action(
    toAction(async (name: string, options: PlaceOptions) => {
      await using verbs = await openVerbs(options);
      const firing = await verbs.schedules.run(name);
      print([options.json ? JSON.stringify(firing) : (firing.job ?? "")]);
      return EXIT.ok;
    }),
  );
  control("rm", "Remove a schedule; its jobs stay").action(
    toAction(async (name: string, options: PlaceOptions) => {
      await using verbs = await openVerbs(options);
      return printed(options, await verbs.schedules.remove(name), "removed.");
    }),
  );
  control("backfill", "Fire the times of a period that did not fire, one after another")
    .requiredOption("--from <time>", "the first time, for example 2026-11-01T00:00:00Z")
    .requiredOption("--to <time>", "the last time")
    .action(toAction(backfill));
  control("repeat", "Repeat a stage of a firing that has ended")
    .argument("<time>", "nominal time of the firing, as `schedules show` prints it")
    .addOption(new Option("--stage <name>", "the stage").choices(STAGES).makeOptionMandatory())
    .option("--onward", "also repeat the stages after it", false)
    .action(toAction(repeat));
};

const whenOptions = (command: Command): Command =>
  placeOptions(
    command
      .option("--cron <pattern>", 'minute hour day month weekday, for example "0 6 * * mon"; needs --zone')
      .option("--zone <name>", "time zone of the IANA database, for example Europe/Berlin")
      .option("--every <duration>", "an interval, counted from 1970 in UTC", durationIn("everyMs"))
      .option("--after <schedule>", "when a firing of this schedule has completed all stages")
      .option(
        "--jitter <duration>",
        "start later by up to this duration; the name decides how much",
        durationIn("jitterMs"),
      ),
  );

const whenOf = ({ cron, zone, every, after }: WhenOptions): NewSchedule["when"] => {
  if ([cron, every, after].filter((one) => one !== undefined).length !== 1)
    throw new UsageError("name its times with one of --cron and --zone, --every, or --after.");
  if (every !== undefined) return { everyMs: every };
  if (after !== undefined) return { after };
  if (zone === undefined)
    throw new UsageError(
      "--cron needs --zone NAME, for example --zone Europe/Berlin. There is no default, because machines differ.",
    );
  return { cron: cron!, zone };
};

const inputsOf = (options: CreateOptions): InputsFrom => {
  const { set, input, url, file, items, of, kinds, runs, weeks } = options;
  if ([set, input, url, file, items].filter((one) => one !== undefined).length !== 1)
    throw new UsageError("name its inputs with one of --set, --input, --items, --url or --file.");
  if (input) return { rows: input };
  if (url !== undefined) return { url };
  if (file !== undefined) return { file };
  if (items !== undefined)
    return { itemsOf: { which: items, ...given({ scraper: of, kinds: kinds as never, runs, weeks }) } };
  return set!;
};

const preview = async (options: WhenOptions): Promise<number> => {
  await using verbs = await openVerbs(options, { makes: true });
  const { data } = await verbs.schedules.preview({
    when: whenOf(options),
    ...given({ jitterMs: options.jitter }),
  });
  print(options.json ? [JSON.stringify(data)] : timeLines(data));
  return EXIT.ok;
};

const timeLines = (times: readonly Coming[]): string[] =>
  times.map(({ at, local, startsAt }) => {
    const utc = `${at.slice(0, 16).replace("T", " ")} UTC`;
    const delay =
      startsAt === undefined ? "" : `, begins ${durationText(Date.parse(startsAt) - Date.parse(at))} later`;
    return `  ${local === undefined ? utc : `${local.padEnd(32)} ${utc}`}${delay}`;
  });

const createOne = async (name: string, options: CreateOptions): Promise<number> => {
  const { scraper, overlap, catchUp, jitter, stages, dataset, client } = options;
  const schedule: NewSchedule = {
    name,
    scraper,
    when: whenOf(options),
    inputsFrom: inputsOf(options),
    ...given({ overlap, catchUpMs: catchUp, jitterMs: jitter, dataset, client }),
    ...(stages && { stages: stages as readonly StageName[] }),
  };
  await using verbs = await openVerbs(options, { makes: true });
  const wish = { when: schedule.when, name, ...given({ jitterMs: jitter }) };
  const { data } = await verbs.schedules.preview(wish);
  if (!options.json)
    print(["Next times:", ...(data.length > 0 ? timeLines(data) : [`  after ${options.after}`])]);
  if (options.dryRun) return EXIT.ok;
  return printed(
    options,
    await verbs.schedules.create(schedule),
    "created. A controller fires it: `sluice serve`.",
  );
};

const printed = (options: PlaceOptions, schedule: Schedule, said: string): number => {
  print([options.json ? JSON.stringify(schedule) : `${plainText(schedule.name)}: ${said}`]);
  return EXIT.ok;
};

const listAll = async (options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const { pages } = await import("../../client.ts");
  const found: Schedule[] = [];
  for await (const schedule of pages((page) => verbs.schedules.list(page), 200)) found.push(schedule);
  if (options.json) print(found.map((schedule) => JSON.stringify(schedule)));
  else if (found.length === 0) print(["No schedules yet. Create one with `sluice schedules create`."]);
  else
    print(
      textTable(
        [
          "schedule",
          "scraper",
          "when",
          "next",
          { right: "fired" },
          { right: "failed" },
          { right: "skipped" },
          { right: "missed" },
        ],
        found.map(({ name, scraper, when, next, pausedAt, counts }) => [
          plainText(name),
          plainText(scraper),
          whenText(when),
          pausedAt === undefined ? (next[0]?.local ?? next[0]?.at.slice(0, 16) ?? "") : "paused",
          ...(["fired", "failed", "skipped", "missed"] as const).map((count) => countText(counts[count])),
        ]),
        printWidth(),
      ),
    );
  return EXIT.ok;
};

const whenText = (when: Schedule["when"]): string => {
  if ("cron" in when) return `${plainText(when.cron)} ${plainText(when.zone)}`;
  return "everyMs" in when ? `every ${durationText(when.everyMs)}` : `after ${plainText(when.after)}`;
};

const SHOWN_FIRINGS = 10;

const show = async (name: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const schedule = await verbs.schedules.get(name);
  const { data: firings } = await verbs.schedules.firings(name, { limit: SHOWN_FIRINGS });
  if (options.json) {
    print([JSON.stringify({ ...schedule, firings })]);
    return EXIT.ok;
  }
  const { counts, next, queued, stages, overlap, pausedAt, pausedBy } = schedule;
  print([
    `${plainText(name)}: ${plainText(schedule.scraper)}, ${whenText(schedule.when)}`,
    `  inputs   ${plainText(inputsText(schedule.inputsFrom))}`,
    `  stages   ${stages.join(", ")}`,
    `  overlap  ${overlap}`,
    `  counts   ${Object.entries(counts)
      .map(([what, count]) => `${countText(count)} ${what}`)
      .join(", ")}`,
    ...(pausedAt === undefined
      ? []
      : [`  paused   since ${pausedAt.slice(0, 16)} by ${plainText(pausedBy ?? "")}`]),
    ...(queued.length > 0 ? [`  queued   ${queued.map((at) => at.slice(0, 19)).join(", ")}`] : []),
    ...(next.length > 0 ? ["Next times:", ...timeLines(next)] : []),
    ...(firings.length > 0 ? ["Last firings:", ...firingLines(firings)] : []),
  ]);
  return EXIT.ok;
};

const firingLines = (firings: readonly Firing[]): string[] =>
  textTable(
    ["time", "state", "job", "stages", "reason"],
    firings.map(({ at, state, job = "", stages, reason = "" }) => [
      at.replace(".000Z", "Z"),
      state,
      job,
      stages.map((stage) => `${stage.name} ${stage.state}`).join(", "),
      plainText(reason),
    ]),
    printWidth(),
  );

const backfill = async (
  name: string,
  options: PlaceOptions & { readonly from: string; readonly to: string },
): Promise<number> => {
  await using verbs = await openVerbs(options);
  const reply = await verbs.schedules.backfill(name, { from: options.from, to: options.to });
  if (options.json) print([JSON.stringify(reply)]);
  else
    print([
      `${plainText(name)}: ${countText(reply.queued.length)} times will fire, one after another; ${countText(reply.fired)} had fired.`,
    ]);
  return EXIT.ok;
};

const repeat = async (
  name: string,
  at: string,
  options: PlaceOptions & { readonly stage: StageName; readonly onward: boolean },
): Promise<number> => {
  await using verbs = await openVerbs(options);
  const time = new Date(at);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`${at}: not a time. Expected for example 2026-11-16T12:00:00Z.`);
  const { stage, onward } = options;
  const firing = await verbs.schedules.repeat(name, time.toISOString(), { stage, onward });
  print([options.json ? JSON.stringify(firing) : `${plainText(name)}: ${stage} of ${at} runs again.`]);
  return EXIT.ok;
};
