import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { bytes, compact, money, number, percent, rate, textOf } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Action } from "../parts/action.tsx";
import { Facts } from "../parts/facts.tsx";
import { LaneState } from "../parts/lane-state.tsx";
import { Crumbs, Problem, Rows } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import type { Lane } from "../../../src/client.ts";

const LanePage = ({ params }: PageProps): VNode => {
  const name = params["lane"]!;
  const { data, error, reload } = useLoad(`lane ${name}`, () => api.getLane(name));
  useEvery(reload);
  return (
    <>
      <Crumbs steps={[["Lanes", "/lanes"]]} />
      <div class="head">
        <h1>{name}</h1>
        {data && may("operator") && <Buttons lane={data} reload={reload} />}
      </div>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data && <Details lane={data} />}
    </>
  );
};

const Details = ({ lane }: { readonly lane: Lane }): VNode => {
  const { perSecond, usedPerSecond, factor, operatorPerSecond, heldUntil, holdReason, backlog, inFlight } =
    lane;
  const { proxies = [], spent = {}, heldJobs } = lane;
  return (
    <>
      {heldJobs > 0 && (
        <p class="notice">
          The breaker holds this lane for {heldJobs === 1 ? "one job" : `${number(heldJobs)} jobs`}. The page
          of the job says why: fix the cause, then resume the job. <a href="/">Now</a> lists held lanes.
        </p>
      )}
      <section>
        <Facts
          facts={[
            ["State", <LaneState lane={lane} />],
            ["Allowed now", perSecond === null ? "no limit" : rate(perSecond)],
            ["Used lately", rate(usedPerSecond)],
            ["Learned", factor === 1 ? "the site accepts the full pace" : `${percent(factor)} of the pace`],
            ["Operator's limit", operatorPerSecond === null ? "none" : rate(operatorPerSecond)],
            ["Held until", heldUntil && <Time at={heldUntil} />],
            ["Reason for the hold", holdReason],
            ["Items in flight", number(inFlight)],
            ["Backlog", number(backlog)],
          ]}
        />
      </section>
      {proxies.length > 0 && (
        <section>
          <h2>Proxy tiers</h2>
          <Rows
            label="Proxy tiers"
            rows={proxies}
            keyOf={({ ladder }) => ladder.join()}
            columns={[
              { name: "Tiers, cheap to expensive", cell: ({ ladder }) => ladder.join(" → ") },
              { name: "Now", cell: ({ tier }) => <b>{tier}</b> },
              { name: "Why", cell: ({ why }) => why ?? "the first tier" },
              { name: "Since", cell: ({ since }) => <Time at={since} isRelative />, isMinor: true },
              {
                name: "Trouble",
                cell: ({ held, outages }) =>
                  held ?? (outages.map(({ tier, why }) => `${tier} is down: ${why}`).join("; ") || "none"),
              },
            ]}
          />
        </section>
      )}
      {Object.keys(spent).length > 0 && (
        <section>
          <h2>Spent</h2>
          <Rows
            label="Spent, by proxy tier"
            rows={Object.entries(spent)}
            keyOf={([tier]) => tier}
            columns={[
              { name: "Tier", cell: ([tier]) => tier },
              { name: "Requests", isNumber: true, cell: ([, cost]) => compact(cost.requests) },
              { name: "Traffic", isNumber: true, cell: ([, cost]) => bytes(cost.bytes) },
              { name: "Cost", isNumber: true, cell: ([, cost]) => money(cost.cost) },
            ]}
          />
        </section>
      )}
    </>
  );
};

const Buttons = ({ lane, reload }: { readonly lane: Lane; readonly reload: () => void }): VNode => {
  const control = async (to: Parameters<typeof api.controlLane>[1], done: string): Promise<string> => {
    await api.controlLane(lane.lane, to);
    reload();
    return done;
  };
  const items = `${number(lane.backlog)} items of all jobs wait in it.`;
  const isStopped = lane.isHeld || lane.heldUntil !== undefined;
  return (
    <div class="buttons">
      <Action
        label="Set pace"
        title={`Limit requests to ${lane.lane}`}
        run={(form) => {
          const given = textOf(form, "perSecond");
          const perSecond = given === "" ? null : Number(given);
          return control(
            { perSecond },
            perSecond === null ? "The limit is removed." : `At most ${rate(perSecond)} from now on.`,
          );
        }}
      >
        <label>
          Requests per second, at most
          <input
            name="perSecond"
            inputMode="decimal"
            pattern="[0-9]*\.?[0-9]+"
            title="A number, for example 0.5"
            defaultValue={lane.operatorPerSecond === null ? "" : String(lane.operatorPerSecond)}
          />
        </label>
        <p class="quiet">
          Empty removes the limit. What scrapers, robots.txt and the site allow still applies.
        </p>
      </Action>
      {isStopped ? (
        <Action
          label="Release"
          title={`Release ${lane.lane}?`}
          run={() => control({ isHeld: false }, "The lane is released.")}
        >
          <p>{items}</p>
        </Action>
      ) : (
        <Action
          label="Hold"
          title={`Stop all requests to ${lane.lane}?`}
          isDangerous
          run={() => control({ isHeld: true }, "No more requests start in this lane.")}
        >
          <p>{items} They stay where they are until the lane is released.</p>
        </Action>
      )}
      <Action
        label="Reset"
        title={`Forget what was learned about ${lane.lane}?`}
        run={() => control({ reset: true }, "Learned speed, crawl delay and holds are forgotten.")}
      >
        <p>Its learned speed, crawl delay, holds and bookings. Your own limit stays.</p>
      </Action>
    </div>
  );
};

export default LanePage;
