import type { PlaceOptions } from "../options.ts";
import type { Verbs } from "./verbs.ts";

/** The verbs of the named server, otherwise of the data folder, which `makes` creates. */
export const openVerbs = async (
  { location, server, timeout }: PlaceOptions,
  { makes = false }: { readonly makes?: boolean } = {},
): Promise<Verbs> => {
  if (server === undefined) {
    const { openLocal } = await import("./local-verbs.ts");
    return await openLocal(location, { makes });
  }
  const { openRemote } = await import("./remote-verbs.ts");
  const { keyFor, serverName } = await import("./stored-keys.ts");
  const { openClient } = await import("./open-client.ts");
  const name = serverName(server);
  return openRemote(await openClient(name, keyFor(server), timeout), name);
};
