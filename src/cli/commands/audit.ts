import type { Command } from "commander";
import type { AuditEntry } from "../../client.ts";
import { EXIT } from "../exit.ts";
import { sinceWhen, wholeNumber } from "../option-values.ts";
import { given, placeOptions, type PlaceOptions, type ToAction } from "../options.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { print, printWidth } from "../terminal.ts";
import { textTable } from "../text.ts";

const HELP = `
Examples:
  sluice audit --since 7d
  sluice audit --actor key:3f9a2c10 --action controlLane --json`;

interface AuditOptions extends PlaceOptions {
  readonly actor?: string;
  readonly action?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly limit: number;
}

export const register = (program: Command, toAction: ToAction): void => {
  const audit = program
    .command("audit")
    .summary("List changes made by operators and admins")
    .description(
      "List changes made by operators and admins, through the API or with commands on a data folder, newest first",
    )
    .option("--actor <actor>", "only changes by key:ID, user:NAME or local")
    .option("--action <action>", "only this action, for example controlLane or revokeKey")
    .option("--since <when>", "only changes since a date, a time, or an age such as 7d", sinceWhen(Date.now))
    .option("--limit <n>", "list at most N changes", wholeNumber, 100)
    .addHelpText("after", HELP);
  placeOptions(audit).action(
    toAction(async (options: AuditOptions) => {
      const { actor, action, limit, json } = options;
      const since = options.since === undefined ? undefined : new Date(options.since).toISOString();
      await using verbs = await openVerbs(options);
      const entries = await verbs.listAudit(given({ actor, action, since }), limit);
      print(json ? entries.map((entry) => JSON.stringify(entry)) : auditTable(entries, printWidth()));
      if (entries.length >= limit)
        process.stderr.write(`  Only the newest ${limit}. Use --limit N to list more.\n`);
      return EXIT.ok;
    }),
  );
};

const COLUMNS = ["at", "actor", "from", "action", "target", "outcome", "details"];

const auditTable = (entries: readonly AuditEntry[], width: number): string[] =>
  entries.length === 0
    ? ["No recorded changes."]
    : textTable(
        COLUMNS,
        entries.map(({ at, actor, client, from = "", action, target = "", outcome, detail }) => [
          at,
          client === undefined ? actor : `${client} ${actor}`,
          from,
          action,
          target,
          outcome,
          detail === undefined ? "" : JSON.stringify(detail),
        ]),
        width,
      );
