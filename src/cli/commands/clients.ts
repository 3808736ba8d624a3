import { CLIENT_NAME } from "../../domain/client.ts";
import { type Command, Option } from "commander";
import type { Client, Key, NewClient, Role } from "../../client.ts";
import { EXIT, UsageError } from "../exit.ts";
import { numberIn, numberOrNone } from "../option-values.ts";
import { given, placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { countText, textTable } from "../text.ts";

const HELP = `
Examples:
  sluice clients add tax-team --weight 3 --items-per-day 1000000
  sluice clients set tax-team --weight 1 --items-per-day none
  sluice clients key tax-team --server http://127.0.0.1:7070
  sluice clients key tax-team --list
  sluice clients revoke tax-team 3f9a2c10`;

const CLIENT_HELP = "name of the client";

type LimitName =
  | "itemsPerDay"
  | "requestsPerDay"
  | "bytesPerDay"
  | "costPerDay"
  | "maxRunning"
  | "requestsPerMinute"
  | "maxOpenJobs"
  | "maxStoredBytes";

interface ClientOptions extends PlaceOptions, Readonly<Partial<Record<LimitName, number | "none">>> {
  readonly weight?: number;
}

interface KeyOptions extends PlaceOptions {
  readonly role: Role;
  readonly list: boolean;
}

export const register = (program: Command, toAction: ToAction): void => {
  const clients = program
    .command("clients")
    .description("List, add and change clients; create and revoke their keys")
    .helpCommand(false)
    .addHelpText("after", HELP);
  placeOptions(clients.command("ls").description("List the clients")).action(toAction(listClients));

  const add = clients.command("add").description("Add a client").argument("<client>", CLIENT_HELP);
  limitOptions(add, numberIn).action(toAction(addClient));

  const set = clients
    .command("set")
    .description("Change the weight and the limits of a client. `none` removes a limit.")
    .argument("<client>", CLIENT_HELP);
  limitOptions(set, numberOrNone).action(toAction(setClient));

  const key = clients
    .command("key")
    .description("Create an API key and print it once, or list the keys of a client")
    .argument("<client>", CLIENT_HELP)
    .addOption(
      new Option("--role <role>", "what the key allows")
        .choices(["client", "operator", "admin", "worker"])
        .default("client"),
    )
    .option("--list", "list the keys instead", false);
  placeOptions(key).action(toAction(clientKey));

  const revoke = clients
    .command("revoke")
    .description("Revoke a key")
    .argument("<client>", CLIENT_HELP)
    .argument("<key>", "ID of the key, as shown by `clients key --list`");
  placeOptions(revoke).action(toAction(revokeKey));
};

const limitOptions = (
  command: Command,
  limit: (name: LimitName) => (text: string) => number | "none",
): Command =>
  placeOptions(
    command
      .option("--weight <n>", "share of lanes and workers, relative to other clients", numberIn("weight"))
      .option(
        "--items-per-day <n>",
        "items that its jobs may add per day, including those found while crawling",
        limit("itemsPerDay"),
      )
      .option("--requests-per-day <n>", "requests to sites per day", limit("requestsPerDay"))
      .option("--bytes-per-day <n>", "bytes fetched per day", limit("bytesPerDay"))
      .option("--cost-per-day <n>", "money for proxies per day", limit("costPerDay"))
      .option("--max-running <n>", "items that may run at the same time", limit("maxRunning"))
      .option("--requests-per-minute <n>", "API requests per minute", limit("requestsPerMinute"))
      .option("--max-open-jobs <n>", "unfinished jobs at the same time (default: 1000)", limit("maxOpenJobs"))
      .option("--max-stored-bytes <n>", "bytes that its jobs may store", limit("maxStoredBytes")),
  );

const listClients = async (options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const clients = await verbs.listClients();
  print(options.json ? clients.map((client) => JSON.stringify(client)) : clientTable(clients, printWidth()));
  return EXIT.ok;
};

const clientTable = (clients: readonly Client[], width: number): string[] => {
  if (clients.length === 0) return ["No clients yet. Add one with `sluice clients add NAME`."];
  const limit = (value: number | null) => (value === null ? "no limit" : countText(value));
  // Most installations limit few of these.
  const daily = (["requestsPerDay", "bytesPerDay", "costPerDay"] as const).filter((name) =>
    clients.some((client) => client[name] !== null),
  );
  return textTable(
    [
      "client",
      { right: "weight" },
      { right: "items/day" },
      ...daily.map((name) => ({ right: name.replace("PerDay", "/day") })),
      { right: "running" },
      { right: "requests/min" },
      { right: "open jobs" },
      { right: "stored bytes" },
    ],
    clients.map((client) => [
      client.name,
      String(client.weight),
      limit(client.itemsPerDay),
      ...daily.map((name) =>
        name === "costPerDay" && client[name] !== null ? String(client[name]) : limit(client[name]),
      ),
      limit(client.maxRunning),
      limit(client.requestsPerMinute),
      limit(client.maxOpenJobs ?? 1000),
      limit(client.maxStoredBytes),
    ]),
    width,
  );
};

const limitsOf = (options: ClientOptions): Omit<NewClient, "name"> => {
  const { weight, itemsPerDay, requestsPerDay, bytesPerDay, costPerDay } = options;
  const { maxRunning, requestsPerMinute, maxOpenJobs, maxStoredBytes } = options;
  const limits = {
    ...given({ itemsPerDay, requestsPerDay, bytesPerDay, costPerDay }),
    ...given({ maxRunning, requestsPerMinute, maxOpenJobs, maxStoredBytes }),
  };
  return {
    ...given({ weight }),
    ...Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => [name, limit === "none" ? null : limit]),
    ),
  };
};

const addClient = async (name: string, options: ClientOptions): Promise<number> => {
  if (!CLIENT_NAME.test(name))
    throw new UsageError(
      `${name}: not a valid client name. Use up to 64 lower-case letters, digits, dots, - and _. \`local\` and \`try\` are reserved for the command line.`,
    );
  await using verbs = await openVerbs(options);
  const client = await verbs.addClient({ name, ...limitsOf(options) });
  print(
    options.json
      ? [JSON.stringify(client)]
      : [
          `${name}: added. Create a key with:`,
          `  sluice clients key ${name}${verbs.flag}`,
          ...(client.webhookSecret === undefined
            ? []
            : [`Secret for the webhooks of its jobs, shown only once: ${client.webhookSecret}`]),
        ],
  );
  return EXIT.ok;
};

const setClient = async (name: string, options: ClientOptions): Promise<number> => {
  const limits = limitsOf(options);
  if (Object.keys(limits).length === 0)
    throw new UsageError(`${name}: nothing to change. \`sluice clients set --help\` lists the options.`);
  await using verbs = await openVerbs(options);
  const client = await verbs.changeClient(name, limits);
  print(options.json ? [JSON.stringify(client)] : clientTable([client], printWidth()));
  return EXIT.ok;
};

const clientKey = async (client: string, options: KeyOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  if (options.list) {
    const keys = await verbs.listKeys(client);
    print(options.json ? keys.map((key) => JSON.stringify(key)) : keyTable(client, keys));
    return EXIT.ok;
  }
  const made = await verbs.makeKey(client, options.role);
  if (made.key === undefined)
    throw new UsageError(
      `${client}: key ${made.id} was created, but the response that contained it was lost. Revoke it with \`sluice clients revoke ${client} ${made.id}\`, and create another.`,
    );
  print([options.json ? JSON.stringify(made) : made.key]);
  // On stderr, so that `KEY=$(sluice clients key NAME)` gets only the key.
  if (!options.json)
    process.stderr.write(`Key ${made.id} of ${client}, role ${made.role}. It is shown only once.\n`);
  return EXIT.ok;
};

const keyTable = (client: string, keys: readonly Key[]): string[] => {
  if (keys.length === 0) return [`${client}: no keys.`];
  const use = ({ revokedAt, usedAt }: Key): string => {
    if (revokedAt) return `revoked ${revokedAt.slice(0, 10)}`;
    return usedAt ? `used ${usedAt.slice(0, 10)}` : "never used";
  };
  return textTable(
    ["key", "role", "starts with", "created", ""],
    keys.map((key) => [key.id, key.role, key.prefix, key.createdAt.slice(0, 10), use(key)]),
    printWidth(),
  );
};

const revokeKey = async (client: string, key: string, options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  await verbs.revokeKey(client, key);
  print([options.json ? JSON.stringify({ client, key, isRevoked: true }) : `${key}: revoked.`]);
  return EXIT.ok;
};
