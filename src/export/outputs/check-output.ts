import { accessSync, constants } from "node:fs";
import { dirname } from "node:path";
import { openOutput } from "./open-output.ts";
import { toOutputError } from "./output-error.ts";

/** Said before a job runs for hours, and not after it: the name tells no format, or its folder cannot be written. */
export const checkOutput = (path: string): void => {
  openOutput(path);
  if (path === "-") return;
  try {
    accessSync(dirname(path), constants.W_OK);
  } catch (error) {
    throw toOutputError(error, path);
  }
};
