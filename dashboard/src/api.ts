/** Typed access to the API, and who is signed in. Nothing else in the dashboard talks to the server. */
import { signal } from "@preact/signals";
import { type Me, ProblemError, SluiceClient } from "../../src/client.ts";

/** Undefined until the server has answered; null if nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined);

/** Changes that come with a cookie need this header: no other site's page can send it. */
const OWN_HEADER = { "x-sluice-session": "1" };

const ownFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, headers: { ...(init?.headers as object), ...OWN_HEADER } });
  // The key was revoked, or the session is over.
  if (response.status === 401) me.value = null;
  return response;
};

export const api = new SluiceClient({ server: location.origin, fetch: ownFetch, retries: 2 });

export const findMe = async (): Promise<void> => {
  try {
    me.value = await api.whoAmI();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401) throw error;
    me.value = null;
  }
};

/** Whether the person may do what needs this role. */
export const may = (role: "operator" | "admin"): boolean => {
  const has = me.value?.role;
  return has === "admin" || has === role;
};

/** An error in words for people. */
export const problemText = (error: unknown): string =>
  error instanceof ProblemError
    ? [error.detail, ...error.errors.map(({ path, message }) => `${path}: ${message}`)].join(" ")
    : error instanceof Error
      ? error.message
      : String(error);
