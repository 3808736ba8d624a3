import type { VNode } from "preact";
import { api } from "../api.ts";
import { duration, glued, number, percent } from "../format.ts";
import { useEvery } from "../live.ts";
import { useLoad } from "../load.ts";
import { Problem, Rows } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { ALERT_RULES } from "./now/needs.ts";
import { subjectOf } from "./now/notices.ts";
import type { Alert, Alerts } from "../../../src/client.ts";

const AlertsPage = (): VNode => {
  const { data, error, reload } = useLoad("alerts", () => api.listAlerts());
  useEvery(reload);
  return (
    <>
      <h1>Alerts</h1>
      {error !== undefined && <Problem error={error} retry={reload} />}
      {data && (
        <>
          <section>
            <h2>Open alerts</h2>
            {data.data.length === 0 ? (
              <p class="empty good">● None. No rule below has raised an alert.</p>
            ) : (
              <ul class="needs">
                {data.data.map((alert) => (
                  <Entry key={alert.id} alert={alert} hasChannels={data.channels.length > 0} />
                ))}
              </ul>
            )}
          </section>
          <Rules alerts={data} />
        </>
      )}
    </>
  );
};

const Entry = ({
  alert: { rule, job, text, since, over, told },
  hasChannels,
}: {
  readonly alert: Alert;
  readonly hasChannels: boolean;
}): VNode => {
  const notice = job === undefined ? subjectOf(over ?? text) : undefined;
  return (
    <li>
      {notice ? (
        <a href={notice.to}>
          <b>{notice.title}</b>
        </a>
      ) : (
        <a href={`/jobs/${job}`}>
          <b>{ALERT_RULES[rule] ?? rule}</b> in job <span class="id">{job}</span>
        </a>
      )}
      <p>{glued(notice?.text ?? over ?? text)}</p>
      <p class="quiet">
        <Time at={since} isRelative />
        {over !== undefined && ", resolved"}
        {hasChannels && (told.length > 0 ? `, sent to ${told.join(", ")}` : ", not sent yet")}
      </p>
    </li>
  );
};

const Rules = ({ alerts: { rules, channels } }: { readonly alerts: Alerts }): VNode => {
  const { failureShare, noSuccess, completeness } = rules;
  const rows: readonly (readonly [string, string | false])[] = [
    ["breaker", rules.breaker && "The breaker holds a lane of a job."],
    ["proxy", rules.proxy && "A proxy tier of a job does not work, or no tier works."],
    [
      "failureShare",
      failureShare &&
        `More than ${percent(failureShare["over"]!)} of the last ${number(failureShare["last"]!)} items failed.`,
    ],
    ["noSuccess", noSuccess && `No item succeeded for ${duration(noSuccess.forMs)}.`],
    [
      "completeness",
      completeness &&
        `The share of records with a value in some field fell by ${number(completeness["drop"]! * 100)} percentage points in the last ${number(completeness["last"]!)} records.`,
    ],
    ["versions", rules.versions && "A version is refused, or a canary is rolled back or undecided."],
    ["drift", rules.drift && "A run differs so much from earlier runs that it holds releases."],
    ["releases", rules.releases && "A release of a dataset is held by its audit, or late."],
    ["schedules", rules.schedules && "A schedule missed a time, failed, or is late."],
  ];
  return (
    <section>
      <h2>Rules and channels</h2>
      <Rows
        label="Rules"
        rows={rows}
        keyOf={([name]) => name}
        columns={[
          { name: "Rule", cell: ([name]) => ALERT_RULES[name] },
          { name: "Alerts when", cell: ([, text]) => (text === false ? <i>off</i> : text) },
        ]}
      />
      <p class="hint quiet">
        {channels.length === 0
          ? "No channel is configured: alerts are only shown here. "
          : `Sent to ${channels.join(", ")}. `}
        Rules and channels are set in <code>sluice.config.ts</code>, under <code>alerts</code>.
      </p>
    </section>
  );
};

export default AlertsPage;
