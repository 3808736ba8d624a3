/** Data of a page. The previous content stays until the new response has arrived: no flicker, and "back" shows the page at once. */
import { useEffect, useRef, useState } from "preact/hooks";

export interface Loaded<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

interface LoadState {
  readonly key: string;
  error: unknown;
  isLoading: boolean;
  /** Asked for again while it was loading. */
  isStale: boolean;
}

const MOST_KEPT = 60;
const kept = new Map<string, unknown>();

const keep = (key: string, data: unknown): void => {
  kept.delete(key);
  kept.set(key, data);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) return;
    kept.delete(oldest);
  }
};

/** After a change, or when another person signs in. */
export const forgetData = (): void => kept.clear();

/** `key` names what is loaded: with another key it is loaded again. */
export const useLoad = <Data>(key: string, load: () => Promise<Data>): Loaded<Data> => {
  const [, redraw] = useState(0);
  const state = useRef<LoadState>({ key: "", error: undefined, isLoading: false, isStale: false });
  const now = state.current;
  if (now.key !== key) state.current = { key, error: undefined, isLoading: false, isStale: false };

  const run = (): void => {
    const mine = state.current;
    if (mine.isLoading) {
      mine.isStale = true;
      return;
    }
    mine.isLoading = true;
    const settle = (error: unknown): void => {
      mine.isLoading = false;
      mine.error = error;
      if (state.current !== mine) return;
      const isStale = mine.isStale;
      mine.isStale = false;
      redraw((count) => count + 1);
      if (isStale) run();
    };
    const read = async (): Promise<void> => {
      keep(key, await load());
      settle(undefined);
    };
    read().catch(settle);
  };
  useEffect(run, [key]);
  return {
    data: kept.get(key) as Data | undefined,
    error: state.current.error,
    isLoading: state.current.isLoading,
    reload: run,
  };
};
