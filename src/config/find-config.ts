import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

const CONFIG_FILES = ["sluice.config.ts", "sluice.config.js"] as const;

/** The configuration in this folder or the nearest one above. */
export const findConfig = (folder: string): string | undefined => {
  const found = CONFIG_FILES.map((name) => join(folder, name)).find((file) => existsSync(file));
  if (found !== undefined) return found;
  const above = dirname(folder);
  return above === folder ? undefined : findConfig(above);
};
