/** Live updates: one stream of server-sent events for each listener. It pauses in hidden tabs and continues where it stopped. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { EventQuery, Listening, LiveEvent } from "../../src/client.ts";
import { api, me } from "./api.ts";

/** Of the newest listener; `off` if the page has none. */
export const liveState = signal<"off" | "live" | "paused" | "reconnecting">("off");

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;

/** Runs until it is stopped: passes on events, and `reset` if some may be missing. */
export const listen = async (
  query: EventQuery,
  onEvent: (event: LiveEvent) => void,
  stopped: AbortSignal,
): Promise<void> => {
  let lastEventId: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  for (let round = 0; !stopped.aborted; round++) {
    await whenVisible(stopped);
    const stop = new AbortController();
    const onHidden = (): void => void (document.hidden && stop.abort());
    document.addEventListener("visibilitychange", onHidden);
    try {
      const onOpen = (): void => {
        liveState.value = "live";
        waitMs = FIRST_WAIT_MS;
        // Progress is not stored: what happened in the meantime is read again.
        if (round > 0) onEvent({ type: "reset", data: {} });
      };
      const listening: Listening = {
        signal: AbortSignal.any([stopped, stop.signal]),
        onOpen,
        ...(lastEventId !== undefined && { lastEventId }),
      };
      for await (const event of api.events(query, listening)) {
        lastEventId = event.id ?? lastEventId;
        onEvent(event);
      }
    } catch {
      // The reason does not matter: the connection is gone, and is opened again.
    } finally {
      document.removeEventListener("visibilitychange", onHidden);
    }
    if (stopped.aborted || me.value === null) return;
    if (document.hidden) continue;
    liveState.value = "reconnecting";
    await pause(waitMs, stopped);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
};

const pause = (ms: number, stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      // A page is open for days: nothing stays with its signal.
      stopped.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stopped.addEventListener("abort", end);
  });

const whenVisible = (stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (!document.hidden || stopped.aborted) return resolve();
    liveState.value = "paused";
    const look = (): void => {
      if (document.hidden && !stopped.aborted) return;
      document.removeEventListener("visibilitychange", look);
      stopped.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    stopped.addEventListener("abort", look);
  });

/** Listens while the component is shown. `onEvent` may change from render to render; the query is compared by its text. */
export const useEvents = (query: EventQuery, onEvent: (event: LiveEvent) => void): void => {
  const handler = useRef(onEvent);
  handler.current = onEvent;
  useEffect(() => {
    const stop = new AbortController();
    void listen(query, (event) => handler.current(event), stop.signal);
    return () => {
      stop.abort();
      liveState.value = "off";
    };
  }, [JSON.stringify(query)]);
};

const RELOAD_MS = 1000;

/** Calls `reload` after events, at most once a second: for pages that read their data again. */
export const useReloadOn = (query: EventQuery, reload: () => void): void => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(reload);
  latest.current = reload;
  useEvents(query, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, RELOAD_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
};

const EVERY_MS = 3000;

/** Calls `reload` every few seconds while the tab is visible: for data without events. */
export const useEvery = (reload: () => void, ms = EVERY_MS): void => {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => void (document.hidden || latest.current()), ms);
    return () => clearInterval(timer);
  }, [ms]);
};
