import type { VNode } from "preact";
import { api, may } from "../api.ts";
import { duration, number } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import type { PageProps } from "../pages.ts";
import { Action } from "../parts/action.tsx";
import { Facts } from "../parts/facts.tsx";
import { State } from "../parts/state.tsx";
import { type Column, Crumbs, Problem, Rows, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { value } from "../router.ts";
import { FiringState, whenText } from "./schedules/firing.tsx";
import type { Firing, Schedule } from "../../../src/schemas/schedule.ts";

const STAGES: Readonly<Record<string, string>> = {
  waiting: "queued",
  running: "running",
  done: "done",
  failed: "failed",
  "left-out": "cancelled",
};

const CAUSES: Readonly<Record<Firing["cause"], string>> = {
  time: "",
  asked: "on request",
  backfill: "backfill",
};

const COLUMNS: readonly Column<Firing>[] = [
  { name: "Time", cell: ({ at }) => <Time at={at} /> },
  { name: "State", cell: (firing) => <FiringState of={firing} /> },
  { name: "Reason", cell: ({ reason = "", cause }) => reason || CAUSES[cause] },
  {
    name: "Job",
    cell: ({ job }) =>
      job === undefined ? (
        "–"
      ) : (
        <a href={`/jobs/${job}`} class="id">
          {job}
        </a>
      ),
  },
  {
    name: "Stages",
    isMinor: true,
    cell: ({ stages }) =>
      stages.map(({ name, state, detail }) => (
        <span key={name} class="spaced" title={detail}>
          <State of={STAGES[state] ?? "queued"} label={name} />
        </span>
      )),
  },
  { name: "Decided", isMinor: true, cell: ({ decidedAt }) => <Time at={decidedAt} /> },
  { name: "Ended", isMinor: true, cell: ({ endedAt }) => <Time at={endedAt} /> },
];

const SchedulePage = ({ params }: PageProps): VNode => {
  const name = params["schedule"]!;
  const cursor = value("cursor");
  const schedule = useLoad(`schedule ${name}`, () => api.schedules.get(name));
  const firings = useLoad(`firings ${name} ${cursor ?? ""}`, () =>
    api.schedules.firings(name, { limit: 50, ...(cursor !== undefined && { cursor }) }),
  );
  const reload = (): void => {
    schedule.reload();
    firings.reload();
  };
  useEvery(reload);
  const { data, error } = schedule;
  return (
    <>
      <Crumbs steps={[["Schedules", "/schedules"]]} />
      <div class="head">
        <h1>{name}</h1>
        {data && may("operator") && <Buttons schedule={data} reload={reload} />}
      </div>
      {error !== undefined && <Problem error={error} retry={schedule.reload} />}
      {data && <About schedule={data} />}
      <section>
        <h2>Firings</h2>
        <Table
          label="Firings"
          columns={COLUMNS}
          list={firings}
          keyOf={({ at }) => at}
          empty={<p>It has not fired yet. “Run now” starts it immediately.</p>}
        />
      </section>
    </>
  );
};

const About = ({ schedule }: { readonly schedule: Schedule }): VNode => {
  const { scraper, client, overlap, catchUpMs, stages, dataset, counts, next, pausedAt, origin } = schedule;
  return (
    <>
      <section>
        <Facts
          facts={[
            [
              "State",
              pausedAt === undefined ? (
                <State of="running" label="on" />
              ) : (
                <>
                  <State of="paused" label={`paused by ${schedule.pausedBy ?? "an operator"}`} />{" "}
                  <Time at={pausedAt} isRelative />
                </>
              ),
            ],
            ["When", whenText(schedule, duration)],
            ["Scraper", <a href={`/scrapers/${encodeURIComponent(scraper)}`}>{scraper}</a>],
            ["Last success", <Time at={schedule.lastSuccessAt} isRelative />],
            ["Stages", stages.join(" → ")],
            ["Dataset", dataset && <a href={`/datasets/${encodeURIComponent(dataset)}`}>{dataset}</a>],
            ["If one still runs", overlap],
            ["Maximum delay", catchUpMs === undefined ? "one period" : duration(catchUpMs)],
            ["Client", client],
            ["Declared in", origin === "config" ? "sluice.config.ts" : "the API"],
            [
              "Firings",
              `${number(counts.done)} done, ${number(counts.failed)} failed, ${number(counts.skipped)} skipped, ${number(counts.missed)} missed`,
            ],
          ]}
        />
      </section>
      {next.length > 0 && (
        <section>
          <h2>Next times</h2>
          <Rows
            label="Next times"
            rows={next}
            keyOf={({ at }) => at}
            columns={[
              { name: "Time", cell: ({ at }) => <Time at={at} /> },
              { name: "In its time zone", cell: ({ local = "–" }) => local },
              { name: "From now", isMinor: true, cell: ({ at }) => <Time at={at} isRelative /> },
            ]}
          />
        </section>
      )}
    </>
  );
};

const Buttons = ({
  schedule,
  reload,
}: {
  readonly schedule: Schedule;
  readonly reload: () => void;
}): VNode => {
  const { name, running, pausedAt } = schedule;
  return (
    <div class="buttons">
      <Action
        label="Run now"
        title={`Run ${name} now?`}
        run={async () => {
          const { state, reason } = await api.schedules.run(name);
          reload();
          return state === "skipped" ? `Skipped: ${reason}` : "It has fired.";
        }}
      >
        <p>
          {running.length > 0
            ? `${number(running.length)} of its firings have not ended.`
            : "Its next time does not change."}
        </p>
      </Action>
      {pausedAt === undefined ? (
        <Action
          label="Pause"
          title={`Pause ${name}?`}
          run={async () => {
            await api.schedules.pause(name);
            reload();
            return "It is paused.";
          }}
        >
          <p>It does not fire until it is resumed. Running jobs continue.</p>
        </Action>
      ) : (
        <Action
          label="Resume"
          title={`Resume ${name}?`}
          run={async (form) => {
            await api.schedules.resume(name, { catchUp: form.has("catchUp") });
            reload();
            return "It fires at its next time.";
          }}
        >
          <label>
            <input type="checkbox" name="catchUp" /> Also fire for the last time that was missed during the
            pause
          </label>
        </Action>
      )}
    </div>
  );
};

export default SchedulePage;
