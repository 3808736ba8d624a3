/** States have fixed colours, and a shape for those who do not see the colour. */
import type { VNode } from "preact";
import type { ItemState, Job } from "../../../src/client.ts";
import { compact, number, percent } from "../format.ts";
import { href } from "../router.ts";

const SHAPES: Readonly<Record<string, string>> = {
  queued: "○",
  loading: "◔",
  leased: "◐",
  running: "◐",
  waiting: "◷",
  paused: "‖",
  done: "●",
  absent: "◌",
  failed: "✕",
  skipped: "↷",
  cancelled: "⊘",
  present: "●",
  empty: "○",
  missing: "✕",
  malformed: "◆",
};

/** Names that people see. */
const WORDS: Readonly<Record<string, string>> = { leased: "running" };

export const stateWord = (state: string): string => WORDS[state] ?? state;

/** A state as a word with its shape and colour. */
export const State = ({ of, label }: { readonly of: string; readonly label?: string }): VNode => (
  <span class={`state s-${of}`}>
    <span aria-hidden="true">{SHAPES[of] ?? "•"}</span> {label ?? stateWord(of)}
  </span>
);

/** What is finished comes first. */
export const STATE_ORDER: readonly ItemState[] = [
  "done",
  "absent",
  "skipped",
  "failed",
  "cancelled",
  "leased",
  "waiting",
  "queued",
];

export interface Part {
  readonly name: string;
  /** The state whose colour and shape it has, if the name is no state. */
  readonly look?: string;
  readonly count: number;
  readonly to?: string;
}

/** Shares of a whole as one bar with a legend; every count is a link to what it counts. */
export const CountBar = ({
  parts,
  label,
  isSmall = false,
}: {
  readonly parts: readonly Part[];
  readonly label: string;
  readonly isSmall?: boolean;
}): VNode => {
  const shown = parts.filter(({ count }) => count > 0);
  const all = shown.reduce((sum, { count }) => sum + count, 0);
  const told = shown.map(({ name, count }) => `${stateWord(name)} ${number(count)}`).join(", ");
  return (
    <div class={isSmall ? "count-bar small" : "count-bar"}>
      <div class="bar" role="img" aria-label={`${label}: ${told || "nothing yet"}`}>
        {shown.map(({ name, look = name, count }) => (
          <span key={name} class={`fill s-${look}`} style={{ flexGrow: count }} />
        ))}
      </div>
      {!isSmall && (
        <ul class="legend">
          {shown.map(({ name, look = name, count, to }) => (
            <li key={name}>
              <State of={look} label={stateWord(name)} />{" "}
              {to === undefined ? <b>{number(count)}</b> : <a href={to}>{number(count)}</a>}{" "}
              <span class="quiet">{percent(count / all)}</span>
            </li>
          ))}
          {all === 0 && <li class="quiet">nothing yet</li>}
        </ul>
      )}
    </div>
  );
};

export const StateBar = ({
  job,
  isSmall = false,
}: {
  readonly job: Pick<Job, "id" | "counts">;
  readonly isSmall?: boolean;
}): VNode => (
  <CountBar
    label="Items by state"
    isSmall={isSmall}
    parts={STATE_ORDER.map((name) => ({
      name,
      count: job.counts.states[name],
      to: href(`/jobs/${job.id}/items`, { state: name }),
    }))}
  />
);

/** A count that leads to what it counts. */
export const CountLink = ({ count, to }: { readonly count: number; readonly to: string }): VNode =>
  count === 0 ? (
    <span class="quiet">0</span>
  ) : (
    <a href={to} title={number(count)}>
      {compact(count)}
    </a>
  );
