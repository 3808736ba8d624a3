/** Constants for an engine's own housekeeping. */

/** Number of days for which the accepted items of a client's jobs are kept: longer than any quota looks back. */
export const ACCEPTED_DAYS = 40;

/** A worker that has registered and never claimed is forgotten after this time. */
export const FORGET_WORKER_MS = 10 * 60_000;

/** How long a repeated call with an id gets the same response. */
export const ANSWER_MS = 15 * 60_000;

/** An address that nobody has asked for in this time is forgotten, unless an operator has configured it. */
export const FORGET_ADDRESS_MS = 3_600_000;

/** A stopped worker may still store the items that it had leased: the folder of a removed job is checked again this long after the mark. */
export const LATE_MS = 3_600_000;

/** Events are kept for this time, and longer if a consumer has not read them. */
export const KEEP_EVENTS_MS = 7 * 24 * 3_600_000;

/** A consumer that has not moved for this time, although an event was waiting, is forgotten: otherwise it would keep all later events. */
export const FORGET_CURSOR_MS = 30 * 24 * 3_600_000;

/** A smaller clock change is ignored: it delays nothing noticeably. */
export const CLOCK_STEP_MS = 2000;
