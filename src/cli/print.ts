import { withCommandName } from "./command-name.ts";

let isListening = false;

/** Lines on standard output. A reader that has gone (`| head`) ends the program without a word. */
export const print = (lines: readonly string[]): void => {
  if (!isListening) {
    isListening = true;
    process.stdout.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  if (lines.length > 0) process.stdout.write(`${lines.map(asCalled).join("\n")}\n`);
};

/** JSON is for programs, and stays as it is. */
const asCalled = (line: string): string => (line.startsWith("{") ? line : withCommandName(line));

/** As wide as the terminal; everything where there is none, for a program may read it. */
export const printWidth = (): number => (process.stdout.isTTY ? process.stdout.columns || 80 : Infinity);
