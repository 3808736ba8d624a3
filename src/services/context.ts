import type { OwnAudit } from "../domain/release.ts";
import { LOCAL_CLIENT } from "../domain/client.ts";
import type { LaneOf } from "../pipeline/plan.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Ledger } from "../ports/ledger.ts";
import { type Registry, type Role, ROLES } from "../ports/registry.ts";
import type { StorageLocation } from "../ports/storage.ts";
import type { PruneTools } from "../retention/plan-prune.ts";
import type { ScraperCatalog } from "./scraper-catalog.ts";

/** What the use cases need. The server and the command line open it and pass it in. */
export interface ServiceContext {
  readonly ledger: Ledger;
  readonly registry: Registry;
  readonly blobs: Blobs;
  readonly scrapers: ScraperCatalog;
  readonly laneOf: LaneOf;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** For threads that read stored pages, which open it themselves. */
  readonly location?: StorageLocation;
  /** Retention of a job for one prune; by default, what the job's scraper declared when the job began. */
  readonly retentionOf?: () => PruneTools["retentionOf"];
  /** Called with the reason if the code of a job's scraper was not stored: the job then needs the unchanged file. */
  readonly onUnkept?: (job: string, reason: string) => void;
  /** The bytes at a URL that a client gave. Refuses addresses that clients may not reach. */
  readonly readUrl?: (url: URL, signal: AbortSignal) => AsyncIterable<Uint8Array>;
  /** Audits of releases that the configuration has as functions, by the name of their dataset. */
  readonly audits?: ReadonlyMap<string, OwnAudit>;
  /** Why no webhook may be sent to this URL; undefined if it may. */
  readonly whyNotCall?: (url: URL) => Promise<string | undefined>;
}

/** On whose behalf something is done. */
export interface Actor {
  readonly client: string;
  readonly role: Role;
  /** Id of the API key; none on loopback without keys, and on the command line. */
  readonly key?: string;
}

/** Anyone who can write to the data folder may do everything. */
export const LOCAL_ACTOR: Actor = { client: LOCAL_CLIENT, role: "admin" };

/** Higher roles may do everything that lower ones may. Worker operations are for workers and admins only. */
export const isAtLeast = (has: Role, needs: Role): boolean =>
  needs === "worker" ? has === "worker" || has === "admin" : ROLES.indexOf(has) <= ROLES.indexOf(needs);

/** For requests in progress: the client whose data they act on, if it is not the actor's own. */
const otherClients = new WeakMap<Actor, string>();

/** Notes for the audit log that the actor acts on another client's data. */
export const noteOther = (actor: Actor, client: string): void => {
  if (client !== actor.client) otherClients.set(actor, client);
};

export const otherClientOf = (actor: Actor): string | undefined => otherClients.get(actor);

/** Clients see their own data, operators that of all clients. */
export const mayRead = (actor: Actor, client: string): boolean => {
  if (client === actor.client) return true;
  const may = isAtLeast(actor.role, "operator");
  if (may) noteOther(actor, client);
  return may;
};

/** A name in a message: it comes from outside and may have any length. */
export const shown = (name: string): string => (name.length > 80 ? `${name.slice(0, 80)}…` : name);
