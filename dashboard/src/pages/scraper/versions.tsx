/** Versions of a scraper: which one is used, their results on stored pages, and the canary. For operators. */
import type { VNode } from "preact";
import { api } from "../../api.ts";
import { number, percent, textOf } from "../../format.ts";
import { useLoad } from "../../load.ts";
import { Action } from "../../parts/action.tsx";
import { State } from "../../parts/state.tsx";
import { type Column, Problem, Rows } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import type { Version } from "../../../../src/client.ts";

const short = (version: string): string => version.slice(0, 10);

export const VersionList = ({ scraper }: { readonly scraper: string }): VNode => {
  const { data, error, reload } = useLoad(`versions ${scraper}`, () => api.versions.list(scraper));
  if (error !== undefined && !data) return <Problem error={error} retry={reload} />;
  if (!data) return <p class="loading">Loading…</p>;
  if (data.data.length === 0)
    return (
      <p class="empty">
        No version has been deployed: jobs use the file of the installation. <code>sluice deploy</code> stores
        one. It is tested on stored pages before it is activated.
      </p>
    );
  const after = (done: string): string => {
    reload();
    return done;
  };
  return (
    <>
      {data.previous !== undefined && (
        <p class="buttons">
          <Action
            label="Roll back"
            isDangerous
            title={`Return to version ${short(data.previous)}?`}
            run={async (form) => {
              const { moved } = await api.versions.rollBack(scraper, { move: form.has("move") });
              return after(`Rolled back. ${number(moved.length)} jobs were moved.`);
            }}
          >
            <Move />
          </Action>
        </p>
      )}
      <Rows
        label="Versions"
        rows={data.data}
        keyOf={({ version }) => version}
        columns={columnsOf(scraper, after)}
      />
    </>
  );
};

const Move = (): VNode => (
  <label>
    <input type="checkbox" name="move" /> Also move running jobs; their next items use it
  </label>
);

const columnsOf = (scraper: string, after: (done: string) => string): readonly Column<Version>[] => [
  {
    name: "Version",
    cell: ({ version, pointers }) => (
      <>
        <span class="id">{short(version)}</span>{" "}
        {pointers.map((pointer) => (
          <State key={pointer} of={pointer === "active" ? "done" : "waiting"} label={pointer} />
        ))}
      </>
    ),
  },
  {
    name: "Deployed",
    isMinor: true,
    cell: ({ at, by, commit }) => (
      <>
        <Time at={at} /> <span class="quiet">{[by, commit?.slice(0, 8)].filter(Boolean).join(", ")}</span>
      </>
    ),
  },
  { name: "On stored pages", cell: (version) => <Gate version={version} /> },
  { name: "Canary", cell: (version) => <Canary version={version} /> },
  {
    name: "Actions",
    cell: ({ version, pointers, gate, canary }) => (
      <div class="buttons">
        {!pointers.includes("active") && (
          <Action
            label="Activate"
            title={`Activate version ${short(version)}?`}
            isDangerous={gate?.isRefused === true}
            run={async (form) => {
              const accept = textOf(form, "accept");
              const how = { move: form.has("move"), ...(accept !== "" && { accept }) };
              const { moved } = await api.versions.activate(scraper, version, how);
              return after(`Active. ${number(moved.length)} jobs were moved.`);
            }}
          >
            <p>It is tested on stored pages first. If it is refused, you need a reason to activate it.</p>
            <label>
              Reason to activate it although it is refused
              <input name="accept" />
            </label>
            <Move />
          </Action>
        )}
        {pointers.length === 0 && (
          <Action
            label="Canary"
            title={`Run some items with version ${short(version)}?`}
            run={async () => {
              await api.versions.startCanary(scraper, version);
              return after("The canary has started.");
            }}
          >
            <p>It is promoted or rolled back automatically, depending on the results of its items.</p>
          </Action>
        )}
        {pointers.includes("canary") && canary && (
          <Action
            label="End canary"
            title={`End the canary of ${short(version)}?`}
            run={async (form) => {
              const to = textOf(form, "to") === "promote" ? "promote" : "roll-back";
              await api.versions.endCanary(scraper, { to });
              return after(to === "promote" ? "Promoted." : "Rolled back.");
            }}
          >
            <label>
              Result
              <select name="to">
                <option value="roll-back">roll back</option>
                <option value="promote">promote</option>
              </select>
            </label>
          </Action>
        )}
      </div>
    ),
  },
];

const Gate = ({ version: { gate } }: { readonly version: Version }): VNode => {
  if (!gate) return <span class="quiet">not tested yet</span>;
  return (
    <>
      <State
        of={gate.isRefused ? "failed" : "done"}
        label={`${gate.isRefused ? "refused" : "passed"}, ${number(gate.items)} items`}
      />
      {gate.reasons.map((reason) => (
        <p key={reason} class="quiet">
          {reason}
        </p>
      ))}
    </>
  );
};

const CANARY = {
  running: "running",
  undecided: "waiting",
  "rolled-back": "failed",
  promoted: "done",
} as const;

const Canary = ({ version: { canary } }: { readonly version: Version }): VNode | string => {
  if (!canary) return "–";
  const [worst] = canary.fields;
  const share = ({ items, bad }: { readonly items: number; readonly bad: number }): string =>
    percent(bad / Math.max(1, items));
  return (
    <>
      <State of={CANARY[canary.state]} label={`${canary.state}, ${number(canary.items)} items`} />
      {worst && (
        <p class="quiet">
          {worst.field}: bad in {share(worst.canary)}, before {share(worst.control)}
        </p>
      )}
      {canary.reason !== undefined && <p class="quiet">{canary.reason}</p>}
    </>
  );
};
