import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { problemText } from "../api.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const SHOWN_MS = 8000;
const toasts = signal<readonly Toast[]>([]);
let last = 0;

const remove = (id: number): void => {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
};

const add = (text: string, isError: boolean): void => {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, text, isError }];
  // An error stays until it is read.
  if (!isError) setTimeout(() => remove(id), SHOWN_MS);
};

/** Says that something was done. */
export const tell = (text: string): void => add(text, false);

/** Says why something was not done. */
export const tellError = (error: unknown): void => add(problemText(error), true);

export const Toasts = (): VNode => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, isError }) => (
      <div key={id} class={isError ? "toast error" : "toast"}>
        <span>{text}</span>
        <button type="button" class="plain" aria-label="Dismiss" onClick={() => remove(id)}>
          ✕
        </button>
      </div>
    ))}
  </div>
);
