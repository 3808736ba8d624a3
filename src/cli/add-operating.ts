import { type Command, Option } from "commander";
import type { AuditOptions } from "./commands/audit.ts";
import type { AddClientOptions, MakeKeyOptions } from "./commands/clients.ts";
import type { SetLaneOptions } from "./commands/lanes.ts";
import { placeOptions } from "./common-options.ts";
import { numberIn, numberOrNone, wholeNumber } from "./option-values.ts";
import type { PlaceOptions } from "./options.ts";
import { sinceWhen } from "./since-option.ts";

type OnEnd = (exitCode: number) => void;

const CLIENTS_HELP = `
Examples:
  sluice clients add tax-team --weight 3 --items-per-day 1000000
  sluice clients set tax-team --weight 1 --items-per-day none
  sluice clients key tax-team --server http://127.0.0.1:7070
  sluice clients key tax-team --list
  sluice clients revoke tax-team 3f9a2c10`;

const LANES_HELP = `
Examples:
  sluice lanes ls
  sluice lanes set tax.example.gov --rate 0.5      at most one request in two seconds, for all jobs
  sluice lanes set 'address:*' --rate 10           at most so much for each machine, whatever names lead to it
  sluice lanes hold tax.example.gov                nothing starts in it
  sluice lanes release tax.example.gov             also ends a hold that the site has asked for
  sluice lanes reset tax.example.gov               forget its learned speed, holds and bookings`;

const AUDIT_HELP = `
Examples:
  sluice audit --since 7d
  sluice audit --actor key:3f9a2c10 --action controlLane --json`;

/** What an operator looks after, here or on a server: `lanes`, `workers`, `clients`, `audit`. */
export const addOperating = (program: Command, onEnd: OnEnd): void => {
  const workers = program
    .command("workers")
    .summary("list the workers, with what they hold")
    .description("Lists the workers that are heard of, with what they hold.");
  placeOptions(workers).action(async (options: PlaceOptions) => {
    const { listWorkersCommand } = await import("./commands/workers.ts");
    onEnd(await listWorkersCommand(options));
  });
  addLanes(program, onEnd);
  addClients(program, onEnd);
  const audit = program
    .command("audit")
    .summary("list what operators and admins have changed")
    .description(
      "Lists what operators and admins have changed, over the API and by commands on a data folder, the newest first.",
    )
    .option("--actor <actor>", "only of this one: key:ID, user:NAME or local")
    .option("--action <action>", "only these, such as controlLane or revokeKey")
    .option("--since <when>", "not before: a day, a moment, or a while ago such as 7d", sinceWhen(Date.now))
    .option("--limit <n>", "at most so many", wholeNumber, 100)
    .addHelpText("after", AUDIT_HELP);
  placeOptions(audit).action(async (options: AuditOptions) => {
    const { auditCommand } = await import("./commands/audit.ts");
    onEnd(await auditCommand(options));
  });
};

const addLanes = (program: Command, onEnd: OnEnd): void => {
  const lanes = program
    .command("lanes")
    .summary("list lanes, set their pace, hold, release and reset them")
    .description("Lists lanes, sets their pace, holds, releases and resets them.")
    .helpCommand(false)
    .addHelpText("after", LANES_HELP);
  placeOptions(lanes.command("ls").description("Lists the lanes, by name.")).action(
    async (options: PlaceOptions) => {
      const { listLanesCommand } = await import("./commands/lanes.ts");
      onEnd(await listLanesCommand(options));
    },
  );
  const set = lanes
    .command("set")
    .description("Sets the most that a lane is asked, over all jobs.")
    .argument("<lane>", "its name, as `lanes ls` has it")
    .option("--rate <n>", "at most N requests a second", numberIn("perSecond"))
    .option("--clear", "take back what was set", false);
  placeOptions(set).action(async (lane: string, options: SetLaneOptions) => {
    const { setLaneCommand } = await import("./commands/lanes.ts");
    onEnd(await setLaneCommand(lane, options));
  });
  const hold = lanes
    .command("hold")
    .description("Lets nothing start in a lane.")
    .argument("<lane>", "its name");
  placeOptions(hold).action(async (lane: string, options: PlaceOptions) => {
    const { holdLaneCommand } = await import("./commands/lanes.ts");
    onEnd(await holdLaneCommand(lane, options));
  });
  const release = lanes
    .command("release")
    .description("Lets a lane go on that an operator, or a site's Retry-After, has stopped.")
    .argument("<lane>", "its name");
  placeOptions(release).action(async (lane: string, options: PlaceOptions) => {
    const { releaseLaneCommand } = await import("./commands/lanes.ts");
    onEnd(await releaseLaneCommand(lane, options));
  });
  const reset = lanes
    .command("reset")
    .description("Forgets a lane's learned speed, Crawl-delay, holds and bookings. Its set rate stays.")
    .argument("<lane>", "its name");
  placeOptions(reset).action(async (lane: string, options: PlaceOptions) => {
    const { resetLaneCommand } = await import("./commands/lanes.ts");
    onEnd(await resetLaneCommand(lane, options));
  });
};

const addClients = (program: Command, onEnd: OnEnd): void => {
  const clients = program
    .command("clients")
    .summary("list, add and change clients, make and revoke their keys")
    .description("Lists, adds and changes clients, makes and revokes their keys.")
    .helpCommand(false)
    .addHelpText("after", CLIENTS_HELP);
  placeOptions(clients.command("ls").description("Lists the clients.")).action(
    async (options: PlaceOptions) => {
      const { listClientsCommand } = await import("./commands/clients.ts");
      onEnd(await listClientsCommand(options));
    },
  );
  const add = clients.command("add").description("Adds a client.").argument("<client>", "its name");
  shareOptions(add, numberIn).action(async (name: string, options: AddClientOptions) => {
    const { addClientCommand } = await import("./commands/clients.ts");
    onEnd(await addClientCommand(name, options));
  });
  const set = clients
    .command("set")
    .description("Changes a client's weight and limits; what is not named stays. `none` takes a limit away.")
    .argument("<client>", "its name");
  shareOptions(set, numberOrNone).action(async (name: string, options: AddClientOptions) => {
    const { setClientCommand } = await import("./commands/clients.ts");
    onEnd(await setClientCommand(name, options));
  });
  addKeys(clients, onEnd);
};

const shareOptions = (
  command: Command,
  limit: (
    name: "itemsPerDay" | "maxRunning" | "requestsPerMinute" | "maxOpenJobs" | "maxStoredBytes",
  ) => (text: string) => number | "none",
): Command =>
  placeOptions(
    command
      .option("--weight <n>", "its part of lanes and workers, against that of others", numberIn("weight"))
      .option(
        "--items-per-day <n>",
        "items that its jobs may accept in a day, found ones included",
        limit("itemsPerDay"),
      )
      .option("--max-running <n>", "of its items, how many may run at a time", limit("maxRunning"))
      .option("--requests-per-minute <n>", "API requests a minute", limit("requestsPerMinute"))
      .option(
        "--max-open-jobs <n>",
        "of its jobs, how many may be open at a time (default: 1000)",
        limit("maxOpenJobs"),
      )
      .option(
        "--max-stored-bytes <n>",
        "bytes that its jobs may have fetched and still keep",
        limit("maxStoredBytes"),
      ),
  );

const addKeys = (clients: Command, onEnd: OnEnd): void => {
  const key = clients
    .command("key")
    .description("Makes an API key for a client, and shows it this once; or lists its keys.")
    .argument("<client>", "its name")
    .addOption(
      new Option("--role <role>", "what the key may do")
        .choices(["client", "operator", "admin", "worker"])
        .default("client"),
    )
    .option("--list", "list its keys instead", false);
  placeOptions(key).action(async (name: string, options: MakeKeyOptions) => {
    const { clientKeyCommand } = await import("./commands/clients.ts");
    onEnd(await clientKeyCommand(name, options));
  });
  const revoke = clients
    .command("revoke")
    .description("Revokes a key.")
    .argument("<client>", "its name")
    .argument("<key>", "the key's id, as `clients key --list` has it");
  placeOptions(revoke).action(async (name: string, id: string, options: PlaceOptions) => {
    const { revokeKeyCommand } = await import("./commands/clients.ts");
    onEnd(await revokeKeyCommand(name, id, options));
  });
};
