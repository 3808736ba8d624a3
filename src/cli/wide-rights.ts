import { statSync } from "node:fs";

/**
 * What Sluice makes is for its own user alone. A folder that was there before keeps its rights, as a group may have been given them on purpose:
 * its owner is told.
 */
export const wideRights = (data: string): string | undefined => {
  const mode = statSync(data).mode & 0o777;
  // Windows has other rights, and tells the same mode for all folders.
  if (process.platform === "win32" || (mode & 0o077) === 0) return undefined;
  return `${data}: other users of this machine may look into the data folder (mode ${mode.toString(8).padStart(4, "0")}), which holds pages, webhook secrets and hashes of keys. Take that back with \`chmod -R go= ${data}\`.`;
};
