/** Pause, resume, cancel and retry. Each first shows how many items it affects. */
import type { VNode } from "preact";
import { api } from "../../api.ts";
import { number } from "../../format.ts";
import { Action } from "../../parts/action.tsx";
import type { Job } from "../../../../src/client.ts";

interface OfJob {
  readonly job: Job;
  readonly reload: () => void;
}

const items = (count: number): string => `${number(count)} ${count === 1 ? "item" : "items"}`;

export const JobActions = ({ job, reload }: OfJob): VNode => {
  const { states } = job.counts;
  const open = states.queued + states.leased + states.waiting;
  const isRunning = job.state === "running" || job.state === "loading";
  const isOpen = isRunning || job.state === "paused";
  const act = async (done: string, change: Promise<unknown>): Promise<string> => {
    await change;
    reload();
    return done;
  };
  return (
    <div class="buttons">
      {isRunning && (
        <Action
          label="Pause"
          title={`Pause ${items(open)} of ${job.id}?`}
          run={() => act(`${job.id} is paused.`, api.pauseJob(job.id))}
        >
          <p>
            {items(states.leased)} in flight {states.leased === 1 ? "ends" : "end"} normally. Nothing is lost:
            resume continues with the rest.
          </p>
        </Action>
      )}
      {(job.state === "paused" || job.held.length > 0) && (
        <Action
          label="Resume"
          title={`Resume ${items(open)} of ${job.id}?`}
          run={(form) =>
            act(
              `${job.id} continues.`,
              api.resumeJob(job.id, form.get("newVersion") === "on" ? { newVersion: true } : {}),
            )
          }
        >
          {job.held.length > 0 && <p>This releases {job.held.map(({ lane }) => lane).join(", ")}.</p>}
          <label>
            <input type="checkbox" name="newVersion" /> Continue with the current version of the scraper;
            stored pages are read with it first
          </label>
        </Action>
      )}
      {states.failed > 0 && job.state !== "cancelled" && (
        <Action
          label="Retry failed"
          title={`Retry ${items(states.failed)} of ${job.id}?`}
          run={async () => {
            const { retried } = await api.retryJob(job.id, { kinds: job.failures.map(({ kind }) => kind) });
            reload();
            return `${items(retried)} will be retried.`;
          }}
        >
          <ul class="plain-list">
            {job.failures.map(({ kind, count }) => (
              <li key={kind}>
                {number(count)} {kind}
              </li>
            ))}
          </ul>
        </Action>
      )}
      {isOpen && (
        <Action
          label="Cancel"
          isDangerous
          title={`Cancel ${items(open)} of ${job.id}?`}
          confirm={`Cancel ${items(open)}`}
          run={() => act(`${job.id} is cancelled.`, api.cancelJob(job.id))}
        >
          <p>They cannot be resumed. What was collected is kept.</p>
        </Action>
      )}
    </div>
  );
};

interface RetryProps extends OfJob {
  readonly kind: Job["failures"][number]["kind"];
  readonly count: number;
}

/** The kind and the count are those of the moment when the question was asked. */
export const RetryKind = ({ job, kind, count, reload }: RetryProps): VNode | null =>
  count === 0 || job.state === "cancelled" ? null : (
    <Action
      label="Retry"
      title={`Retry ${items(count)} with ${kind}?`}
      run={async () => {
        const { retried } = await api.retryJob(job.id, { kinds: [kind] });
        reload();
        return `${items(retried)} with ${kind} will be retried.`;
      }}
    >
      <p>
        Only failed items of {job.id} whose last failure is {kind}.
      </p>
    </Action>
  );
