import { relative, resolve } from "node:path";
import type { Command } from "commander";
import { takeLanePolicy } from "../config/check-config.ts";
import { setUsualData } from "./next-steps.ts";
import { DEFAULT_DATA } from "./options.ts";

/** Before a command runs, what `sluice.config.ts` says takes the place of defaults. Flag and environment go before it. */
export const takeConfig = (program: Command): void => {
  program.hook("preAction", async (_program, command) => {
    const source = command.getOptionValueSource("data");
    if (source === "default") {
      const { loadConfig } = await import("../config/load-config.ts");
      const project = await loadConfig();
      takeLanePolicy(project);
      if (project) command.setOptionValueWithSource("data", fromHere(project.data), "config");
    }
    setUsualData(source === "cli" ? undefined : (command.getOptionValue("data") as string | undefined));
  });
};

/** As a person would type it: messages show it, and leave it out where it is the default. */
const fromHere = (path: string): string =>
  path === resolve(DEFAULT_DATA) ? DEFAULT_DATA : relative(process.cwd(), path) || ".";
