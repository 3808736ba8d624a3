import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { may } from "../api.ts";
import { EVENT_TYPES } from "../event-types.ts";
import { number } from "../format.ts";
import { useEvents } from "../live.ts";
import { FilterForm } from "../parts/filter-form.tsx";
import { Chips } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { search, value, values } from "../router.ts";
import type { EventQuery, LiveEvent } from "../../../src/client.ts";

/** Progress comes every second: it is shown on the pages of jobs. */
const TYPES = EVENT_TYPES.filter((one) => one !== "job.progress");
const MOST_SHOWN = 300;
const DRAW_MS = 100;
const OPENING_MS = 1000;
/** Number of earlier events that are shown before new ones arrive. */
const BACK = 100;

interface Shown {
  readonly number: number;
  readonly event: LiveEvent;
}

const Events = (): VNode => (
  <>
    <h1>Events</h1>
    <div class="filters">
      <Chips name="type" label="Type" options={TYPES.map((one) => ({ value: one }))} />
      <FilterForm filters={[{ name: "job", label: "Job" }]} submit="Filter" />
    </div>
    {/* With another filter it begins again. */}
    <Tail key={search.value.toString()} />
  </>
);

const Tail = (): VNode => {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const [isPaused, setPaused] = useState(false);
  const [waiting, setWaiting] = useState<readonly Shown[]>([]);
  const [count, setCount] = useState(0);
  const job = value("job");
  const type = values("type") as NonNullable<EventQuery["type"]>;
  const query: EventQuery = {
    last: BACK,
    ...(job !== undefined && { job }),
    type: type.length > 0 ? type : TYPES,
  };
  // Drawn together: a burst of a thousand events is a few changes of the page.
  const arrived = useRef<readonly Shown[]>([]);
  const numbers = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = (): void => {
    timer.current = undefined;
    const fresh = arrived.current;
    arrived.current = [];
    (isPausedNow.current ? setWaiting : setShown)((list) => [...fresh, ...list].slice(0, MOST_SHOWN));
    setCount(numbers.current);
  };
  const isPausedNow = useRef(isPaused);
  isPausedNow.current = isPaused;
  useEvents(query, (event) => {
    if (event.type === "reset") return;
    arrived.current = [{ number: numbers.current++, event }, ...arrived.current].slice(0, MOST_SHOWN);
    timer.current ??= setTimeout(show, DRAW_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  // The stream does not say that the log has nothing: after a moment without events, that is assumed.
  const [isOpening, setOpening] = useState(true);
  useEffect(() => {
    const opening = setTimeout(() => setOpening(false), OPENING_MS);
    return () => clearTimeout(opening);
  }, []);
  const goOn = (): void => {
    setShown((list) => [...waiting, ...list].slice(0, MOST_SHOWN));
    setWaiting([]);
    setPaused(false);
  };
  return (
    <>
      <p class="buttons">
        <button type="button" onClick={isPaused ? goOn : () => setPaused(true)} aria-pressed={isPaused}>
          {isPaused ? `Continue (${number(waiting.length)} new)` : "Pause"}
        </button>
        <span class="quiet">
          Newest first: the last {BACK} events that match, and new ones as they happen.
        </span>
      </p>
      {shown.length === 0 && isOpening ? (
        <p class="loading">Loading…</p>
      ) : shown.length === 0 ? (
        <p class="empty">
          Nothing yet. Events appear here as they happen: <a href="/submit">submit a job</a>.
        </p>
      ) : (
        <ol class="tail" aria-label="Events">
          {shown.map(({ number: key, event }) => (
            <Entry key={key} event={event} />
          ))}
        </ol>
      )}
      <p class="quiet hint" role="status">
        {number(count)} events received
      </p>
    </>
  );
};

const Entry = ({ event: { type, timestamp, data } }: { readonly event: LiveEvent }): VNode => {
  const text = (name: string): string | undefined => {
    const given = data[name];
    return typeof given === "string" ? given : undefined;
  };
  const job = text("job");
  const reason = text("reason") === "asked for" ? "on request" : text("reason");
  return (
    <li>
      <details>
        <summary>
          <Time at={timestamp} /> <b>{type}</b>{" "}
          <span class="of">{text("scraper") ?? text("dataset") ?? text("schedule")}</span>{" "}
          {may("operator") && <span class="of quiet">{text("client")}</span>}{" "}
          {job !== undefined && <span class="id quiet">{job}</span>}{" "}
          {text("lane") && <span>{text("lane")}</span>} {reason && <span class="quiet">{reason}</span>}
        </summary>
        {job !== undefined && (
          <p>
            <a href={`/jobs/${job}`}>Job {job}</a>
          </p>
        )}
        <pre tabIndex={0}>{JSON.stringify(data, undefined, 2)}</pre>
      </details>
    </li>
  );
};

export default Events;
