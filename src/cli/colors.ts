import picocolors from "picocolors";

interface Screen {
  readonly isTTY?: boolean;
}

/**
 * Colours are for a terminal. What a pipe or a file gets must stay searchable, so a build server's `CI` alone does not turn them
 * on; `FORCE_COLOR` does, and `NO_COLOR` turns them off everywhere.
 */
export const wantsColors = ({ isTTY }: Screen, env: NodeJS.ProcessEnv): boolean => {
  const { NO_COLOR = "", FORCE_COLOR = "", TERM } = env;
  if (NO_COLOR !== "" || FORCE_COLOR === "0" || FORCE_COLOR === "false") return false;
  return FORCE_COLOR !== "" || (isTTY === true && TERM !== "dumb");
};

/** For what goes to standard output. */
export const colors = picocolors.createColors(wantsColors(process.stdout, process.env));
