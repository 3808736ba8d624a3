import type { Client, NewClient, Role } from "../../client.ts";
import { EXIT } from "../exit-codes.ts";
import { countText } from "../number-text.ts";
import type { PlaceOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { textTable } from "../text-table.ts";
import { UsageError } from "../usage-error.ts";

export const listClientsCommand = async (options: PlaceOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  const clients = await verbs.listClients();
  print(options.json ? clients.map((client) => JSON.stringify(client)) : clientTable(clients, printWidth()));
  return EXIT.ok;
};

const clientTable = (clients: readonly Client[], width: number): string[] => {
  if (clients.length === 0) return ["No clients yet. Add one with `sluice clients add NAME`."];
  const number = (title: string) => ({ title, align: "right" as const });
  const limit = (value: number | null) => (value === null ? "no limit" : countText(value));
  return textTable(
    [
      { title: "client" },
      number("weight"),
      number("items a day"),
      number("running"),
      number("requests a minute"),
      number("open jobs"),
      number("stored bytes"),
    ],
    clients.map(
      ({ name, weight, itemsPerDay, maxRunning, requestsPerMinute, maxOpenJobs, maxStoredBytes }) => [
        name,
        String(weight),
        limit(itemsPerDay),
        limit(maxRunning),
        limit(requestsPerMinute),
        limit(maxOpenJobs ?? 1000),
        limit(maxStoredBytes),
      ],
    ),
    width,
  );
};

export interface AddClientOptions extends PlaceOptions {
  readonly weight?: number;
  readonly itemsPerDay?: number | "none";
  readonly maxRunning?: number | "none";
  readonly requestsPerMinute?: number | "none";
  readonly maxOpenJobs?: number | "none";
  readonly maxStoredBytes?: number | "none";
}

const CLIENT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Whose jobs they are that the command line starts in a data folder. */
const RESERVED: readonly string[] = ["local", "try"];

const shareOf = (options: AddClientOptions): Omit<NewClient, "name"> => {
  const { weight, itemsPerDay, maxRunning, requestsPerMinute, maxOpenJobs, maxStoredBytes } = options;
  const limits = Object.entries({
    itemsPerDay,
    maxRunning,
    requestsPerMinute,
    maxOpenJobs,
    maxStoredBytes,
  }).filter(([, limit]) => limit !== undefined);
  return {
    ...(weight !== undefined && { weight }),
    ...Object.fromEntries(limits.map(([name, limit]) => [name, limit === "none" ? null : limit])),
  };
};

export const addClientCommand = async (name: string, options: AddClientOptions): Promise<number> => {
  if (!CLIENT_NAME.test(name))
    throw new UsageError(`${name}: a client's name has small letters, digits, dots, - and _ only.`);
  if (RESERVED.includes(name))
    throw new UsageError(`${name}: jobs of the command line are of that name. Choose another.`);
  await using verbs = await openVerbs(options);
  const client = await verbs.addClient({ name, ...shareOf(options) });
  print(
    options.json
      ? [JSON.stringify(client)]
      : [
          `${name}: added. Give it a key with:`,
          `  sluice clients key ${name}${verbs.flag}`,
          ...(client.webhookSecret === undefined
            ? []
            : [`Secret of webhooks that its jobs name, shown this once: ${client.webhookSecret}`]),
        ],
  );
  return EXIT.ok;
};

export const setClientCommand = async (name: string, options: AddClientOptions): Promise<number> => {
  const share = shareOf(options);
  if (Object.keys(share).length === 0)
    throw new UsageError(`${name}: nothing to set. \`sluice clients set --help\` shows what there is.`);
  await using verbs = await openVerbs(options);
  const client = await verbs.changeClient(name, share);
  print(options.json ? [JSON.stringify(client)] : clientTable([client], printWidth()));
  return EXIT.ok;
};

export interface MakeKeyOptions extends PlaceOptions {
  readonly role: Role;
  readonly list: boolean;
}

/** Makes a key, shown this once; or lists those that there are. */
export const clientKeyCommand = async (client: string, options: MakeKeyOptions): Promise<number> => {
  await using verbs = await openVerbs(options);
  if (options.list) {
    const keys = await verbs.listKeys(client);
    if (options.json) print(keys.map((key) => JSON.stringify(key)));
    else if (keys.length === 0) print([`${client}: no keys.`]);
    else
      print(
        textTable(
          [{ title: "key" }, { title: "role" }, { title: "begins with" }, { title: "made" }, { title: "" }],
          keys.map(({ id, role, prefix, createdAt, revokedAt, usedAt }) => [
            id,
            role,
            prefix,
            createdAt.slice(0, 10),
            revokedAt
              ? `revoked ${revokedAt.slice(0, 10)}`
              : usedAt
                ? `used ${usedAt.slice(0, 10)}`
                : "never used",
          ]),
          printWidth(),
        ),
      );
    return EXIT.ok;
  }
  const made = await verbs.makeKey(client, options.role);
  if (made.key === undefined)
    throw new UsageError(
      `${client}: key ${made.id} was made, but the answer that held it was lost. Revoke it with \`sluice clients revoke ${client} ${made.id}\`, and make another.`,
    );
  print([options.json ? JSON.stringify(made) : made.key]);
  // Beside it: `KEY=$(sluice clients key NAME)` takes the key alone.
  if (!options.json)
    process.stderr.write(`Shown this once: key ${made.id} of ${client}, role ${made.role}.\n`);
  return EXIT.ok;
};

export const revokeKeyCommand = async (
  client: string,
  key: string,
  options: PlaceOptions,
): Promise<number> => {
  await using verbs = await openVerbs(options);
  await verbs.revokeKey(client, key);
  print([options.json ? JSON.stringify({ client, key, isRevoked: true }) : `${key}: revoked.`]);
  return EXIT.ok;
};
