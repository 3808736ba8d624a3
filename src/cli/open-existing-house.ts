import { existsSync } from "node:fs";
import { join } from "node:path";
import { type House, openHouse } from "../compose.ts";
import { UsageError } from "./usage-error.ts";

/** For commands that look at what is there: a mistyped folder is told, not made. */
export const openExistingHouse = async (
  data: string,
  options?: { readonly cacheMb: number },
): Promise<House> => {
  if (existsSync(join(data, "sluice.db"))) return await openHouse(data, options);
  throw new UsageError(
    `${data}: there is no Sluice data folder here. Start a job with \`sluice run\`, or name the folder with --data DIR.`,
  );
};
