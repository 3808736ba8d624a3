import { randomBytes } from "node:crypto";
import { timedId } from "../model/timed-id.ts";

export const jobId = (at: Date): string => timedId(at.getTime(), randomBytes(4));
