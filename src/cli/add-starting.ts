import type { Command } from "commander";

/** `init` and `new scraper`. */
export const addStarting = (_program: Command, _onEnd: (exitCode: number) => void): void => undefined;
