import { timedId } from "./timed-id.ts";

export const jobId = (at: Date, random: Uint8Array = crypto.getRandomValues(new Uint8Array(4))): string =>
  timedId(at.getTime(), random);
