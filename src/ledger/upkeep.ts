/** What an engine's own housekeeping goes by. */

/** Days for which it is known how many items a client's jobs have accepted: longer than any quota looks back. */
export const ACCEPTED_DAYS = 40;

/** A worker that has registered and was never heard of again is forgotten after this. */
export const FORGET_WORKER_MS = 10 * 60_000;

/** A named call is answered alike for so long. */
export const ANSWER_MS = 15 * 60_000;

/** An address that nobody has asked for so long is forgotten, unless an operator has spoken of it. */
export const FORGET_ADDRESS_MS = 3_600_000;

/** A worker that was stopped may still store the items that it had leased: a removed job's folder is looked at again so long after the mark. */
export const LATE_MS = 3_600_000;

/** Events are kept for so long, and longer where a consumer has not come to them. */
export const KEEP_EVENTS_MS = 7 * 24 * 3_600_000;

/** A consumer that has not moved for so long, although an event has waited for it all the while, is forgotten: it would keep all that come after. */
export const FORGET_CURSOR_MS = 30 * 24 * 3_600_000;

/** A clock that was set by less is no matter: nothing is kept waiting noticeably longer by it. */
export const CLOCK_STEP_MS = 2000;
