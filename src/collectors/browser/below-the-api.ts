import type { CDPSession, Page } from "playwright-core";

/** Parts of playwright-core that are not in its API. Where a release has moved them, pages only cost more; a test notices. */
interface Owner {
  readonly _connection?: { readonly toImpl?: (owner: object) => Inner | undefined };
}
interface Inner {
  readonly _session?: InnerSession;
  _initializePreview?: () => Promise<void>;
}
interface InnerSession extends Session {
  _eventListener?: unknown;
}

export type Session = Pick<CDPSession, "send" | "on">;

const innerOf = (owner: object): Inner | undefined => {
  try {
    return (owner as Owner)._connection?.toImpl?.(owner);
  } catch {
    // It has just been closed.
    return undefined;
  }
};

/** The session inside the public one, which takes a stack trace of each call, and checks and copies each message: a quarter of what a page in a warm tab costs in this process. */
export const directSession = (session: CDPSession): Session => {
  const inner = innerOf(session)?._session;
  if (typeof inner?.send !== "function" || !("_eventListener" in inner)) return session;
  // Passes events to the public session.
  inner._eventListener = undefined;
  const send = (method: never, parameters: never) => inner.send(method, parameters).catch(explain);
  return { send, on: inner.on.bind(inner) };
};

/** A call of a session that has ended fails without a message. */
const explain = (error: Error): never => {
  if (error.message === "") error.message = "the session is closed";
  throw error;
};

let hasPreviews = true;

/**
 * Each handle of an element gets a text for logs. To make it, the library's selector script of 345 KB is sent to the page a second time, for the page's own
 * context: about a quarter of what such a page costs in a warm tab. Without it, the text is `JSHandle@node`. Needs any page, and does not matter if that page fails.
 */
export const skipPreviews = async (page: Page): Promise<void> => {
  if (!hasPreviews) return;
  const handle = await page.evaluateHandle("document").catch(() => undefined);
  const inner = handle && innerOf(handle);
  if (!inner) return;
  hasPreviews = false;
  const type = Object.getPrototypeOf(inner) as Inner;
  if (type._initializePreview) type._initializePreview = async () => undefined;
  await handle.dispose().catch(() => undefined);
};
