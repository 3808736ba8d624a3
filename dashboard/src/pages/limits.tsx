/** What the client that is signed in may use, and what it has used. Anyone may see their own; an admin changes them. */
import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import { LimitRows } from "../parts/limits.tsx";
import { Problem } from "../parts/table.tsx";

const LimitsPage = (): VNode => {
  const { data, error, reload } = useLoad("limits", () => api.whoAmI());
  useEvery(reload, 10_000);
  if (!data)
    return error === undefined ? <p class="loading">Loading…</p> : <Problem error={error} retry={reload} />;
  const { client, quotas, itemsLeftToday, spentToday } = data;
  const items =
    quotas.itemsPerDay !== null && itemsLeftToday !== null
      ? { items: Math.max(0, quotas.itemsPerDay - itemsLeftToday) }
      : {};
  return (
    <>
      <h1>Limits and use</h1>
      <p class="quiet lead">
        Client <b>{client}</b>, today (UTC).{" "}
        {may("admin") ? (
          <a href={`/clients/${encodeURIComponent(client)}`}>Change limits</a>
        ) : (
          "An admin can change the limits."
        )}
      </p>
      {error !== undefined && <Problem error={error} retry={reload} />}
      <LimitRows of={quotas} used={{ ...spentToday, ...items }} />
    </>
  );
};

export default LimitsPage;
