/**
 * Names one call. Sent again within a quarter of an hour, also while the first is under way, it takes effect once and is answered alike. Verbs that
 * take no name may be sent again as they are.
 */
export type CallId = string;
