import { endCanary, startCanary } from "../../services/canaries.ts";
import type { ServiceContext } from "../../services/context.ts";
import { gateVersion } from "../../services/gate.ts";
import {
  activateVersion,
  listVersions,
  resolveVersion,
  rollBackVersion,
  showVersion,
} from "../../services/versions.ts";
import { localUser } from "./audit-local.ts";
import type { Verbs } from "./verbs.ts";

type VersionVerbs = Pick<
  Verbs,
  | "listVersions"
  | "showVersion"
  | "gateVersion"
  | "activateVersion"
  | "rollBackVersion"
  | "startCanary"
  | "endCanary"
>;

/** Versions of scrapers in a data folder on this machine. */
export const localVersions = (context: Omit<ServiceContext, "registry">): VersionVerbs => {
  const by = localUser();
  const ownName = (named: string): Promise<string> => context.scrapers.ownName(named);
  return {
    listVersions: (named) => listVersions(context, named),
    async showVersion(named, version) {
      const found = await resolveVersion(context, named, version);
      return await showVersion(context, found.scraper, found.version);
    },
    gateVersion: async (named, version) =>
      await gateVersion(context, { ...(await resolveVersion(context, named, version)), by }),
    activateVersion: async (named, version, how) =>
      await activateVersion(context, { ...(await resolveVersion(context, named, version)), ...how, by }),
    rollBackVersion: async (named, how) =>
      await rollBackVersion(context, { scraper: await ownName(named), ...how, by }),
    startCanary: async (named, version, how) =>
      await startCanary(context, { ...(await resolveVersion(context, named, version)), ...how, by }),
    endCanary: async (named, how) => await endCanary(context, { scraper: await ownName(named), ...how, by }),
  };
};
