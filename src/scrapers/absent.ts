import { AbsentError } from "../model/failure.ts";

/** `throw absent()` when the site itself says that there is no such thing. */
export const absent = (reason?: string): AbsentError => new AbsentError(reason);
