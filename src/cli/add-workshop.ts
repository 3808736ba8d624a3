import type { Command } from "commander";

/** The loop in which scrapers are written: `try`, `capture`, `test`. */
export const addWorkshop = (_program: Command, _onEnd: (exitCode: number) => void): void => undefined;
