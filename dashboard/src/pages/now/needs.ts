/** What needs attention: each source is a short separate list, never a search through everything. */
import { api, may, problemText } from "../../api.ts";
import type { Job } from "../../../../src/client.ts";
import { datasetAt, scheduleAt, subjectOf } from "./notices.ts";

/** What a rule is called where it has found something. */
export const ALERT_RULES: Readonly<Record<string, string>> = {
  breaker: "Lane held by the breaker",
  proxy: "Proxy tier down",
  failureShare: "Many failures",
  noSuccess: "No success",
  completeness: "Fields lost values",
  versions: "Versions",
  drift: "Drift",
  releases: "Releases",
  schedules: "Schedules",
};

export interface Need {
  readonly title: string;
  readonly of: string;
  readonly to: string;
  readonly text: string;
  readonly at?: string;
  /** Two sources may report the same: the first is shown. */
  readonly about?: string;
}

/** Jobs need attention if a lane is held without a probe, or if they were paused automatically. */
export const needsOfJobs = (jobs: readonly Job[]): readonly Need[] =>
  jobs.flatMap(({ id, scraper, held, paused }) => [
    ...held
      .filter(({ probeAt }) => probeAt === undefined)
      .map(({ lane, reason, heldAt }) => ({
        title: `Lane ${lane} is held`,
        of: `in ${scraper}`,
        to: `/jobs/${id}`,
        text: reason,
        at: heldAt,
      })),
    ...(paused && paused.cause !== "asked" && paused.cause !== "lanes-held"
      ? [
          {
            title: `${id} is paused`,
            of: `(${scraper})`,
            to: `/jobs/${id}`,
            text: paused.reason,
            at: paused.at,
          },
        ]
      : []),
  ]);

const needsOfAlerts = async (): Promise<readonly Need[]> => {
  if (!may("operator")) return [];
  const { data } = await api.listAlerts();
  return (
    data
      // Lanes held by the breaker are shown with their job.
      .filter(({ rule, over }) => rule !== "breaker" && over === undefined)
      .map(({ rule, job, text, since }) => {
        if (job !== undefined && job !== "")
          return { title: ALERT_RULES[rule] ?? rule, of: `in ${job}`, to: `/jobs/${job}`, text, at: since };
        return { ...subjectOf(text), of: "", at: since };
      })
  );
};

const needsOfDatasets = async (): Promise<readonly Need[]> => {
  const { data } = await api.datasets.listDatasets();
  return data.flatMap(({ name, isLate, last, current }) => {
    const to = datasetAt(name);
    const isWaiting = last > (current?.release ?? 0);
    return [
      ...(isLate
        ? [
            {
              title: `${name} is late`,
              of: "",
              to,
              text: "Its next release is overdue.",
              about: `late ${name}`,
            },
          ]
        : []),
      ...(isWaiting
        ? [
            {
              title: `Release ${last} of ${name} is not published`,
              of: "",
              to,
              text: current
                ? `Release ${current.release} is still the current one.`
                : "No release is published yet.",
              about: `release ${last} of ${name}`,
            },
          ]
        : []),
    ];
  });
};

const MOST_LOOKED_AT = 20;

/** Those whose latest firing was missed or failed. */
const needsOfSchedules = async (): Promise<readonly Need[]> => {
  const { data } = await api.schedules.list({ limit: 200 });
  const doubtful = data
    .filter(({ counts, pausedAt }) => pausedAt === undefined && counts.missed + counts.failed > 0)
    .slice(0, MOST_LOOKED_AT);
  const latest = await Promise.all(
    doubtful.map(async ({ name }) => (await api.schedules.firings(name, { limit: 1 })).data[0]),
  );
  return latest.flatMap((firing) =>
    firing && (firing.state === "missed" || firing.state === "failed")
      ? [
          {
            title: `Schedule ${firing.schedule}: the last firing ${firing.state === "missed" ? "was missed" : "failed"}`,
            of: "",
            to: scheduleAt(firing.schedule),
            text: firing.reason ?? "",
            at: firing.decidedAt,
            about: `schedule ${firing.schedule}`,
          },
        ]
      : [],
  );
};

/** A source that cannot be read is reported, and does not hide the others. */
export const readNeeds = async (): Promise<readonly Need[]> => {
  const sources = { "/alerts": needsOfAlerts, "/datasets": needsOfDatasets, "/schedules": needsOfSchedules };
  const found = await Promise.all(
    Object.entries(sources).map(async ([to, read]) => {
      try {
        return await read();
      } catch (error) {
        return [{ title: `${to.slice(1)} cannot be read`, of: "", to, text: problemText(error) }];
      }
    }),
  );
  const told = new Set<string>();
  return found.flat().filter(({ about }: Need) => {
    const isTold = about !== undefined && told.has(about);
    if (about !== undefined) told.add(about);
    return !isTold;
  });
};
