/** Whose jobs those of `sluice try` and `sluice capture` are: lists of jobs, and what asks for the newest one, leave them out. */
export const TRIAL_CLIENT = "try";
