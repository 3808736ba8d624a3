import type { Command } from "commander";

/** Extraction again from stored pages, and what differs: `extract`, `diff`. */
export const addReuse = (_program: Command, _onEnd: (exitCode: number) => void): void => undefined;
