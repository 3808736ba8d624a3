import type { AuditEntry } from "../../client.ts";
import { EXIT } from "../exit-codes.ts";
import type { PlaceOptions } from "../options.ts";
import { print, printWidth } from "../print.ts";
import { openVerbs } from "../service/open-verbs.ts";
import { textTable } from "../text-table.ts";

export interface AuditOptions extends PlaceOptions {
  readonly actor?: string;
  readonly action?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
  readonly limit: number;
}

export const auditCommand = async (options: AuditOptions): Promise<number> => {
  const { actor, action, since, limit, json } = options;
  await using verbs = await openVerbs(options);
  const entries = await verbs.listAudit(
    {
      ...(actor !== undefined && { actor }),
      ...(action !== undefined && { action }),
      ...(since !== undefined && { since: new Date(since).toISOString() }),
    },
    limit,
  );
  print(json ? entries.map((entry) => JSON.stringify(entry)) : auditTable(entries, printWidth()));
  if (entries.length >= limit) process.stderr.write(`  the newest ${limit}; --limit N shows more\n`);
  return EXIT.ok;
};

const auditTable = (entries: readonly AuditEntry[], width: number): string[] =>
  entries.length === 0
    ? ["Nothing was changed by an operator, as far as is known."]
    : textTable(
        [
          { title: "at" },
          { title: "actor" },
          { title: "from" },
          { title: "action" },
          { title: "target" },
          { title: "outcome" },
          { title: "asked for" },
        ],
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
