import { readFileSync } from "node:fs";
import type { CommanderError } from "commander";
import { endEarlyWorker, startEarlyWorker } from "./early-worker.ts";
import { EXIT } from "./exit.ts";

/** Runs one command line and returns the exit code. */
export const main = async (args: readonly string[]): Promise<number> => {
  let exitCode: number = EXIT.ok;
  if (process.pid === 1) endByDefault();
  process.stdout.on("error", endWithReader);
  try {
    startEarlyWorker(args);
    const { buildProgram } = await import("./program.ts");
    const program = await buildProgram(readVersion(), (code) => (exitCode = code), args[0]);
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    const { CommanderError } = await import("commander");
    if (error instanceof CommanderError) return isHelp(error) ? EXIT.ok : EXIT.usage;
    // Loaded only when needed.
    const { explainError } = await import("./explain-error.ts");
    const { withCommandName } = await import("./terminal.ts");
    const { message, exitCode: failed } = explainError(error, isDebugging(args));
    if (message !== undefined) process.stderr.write(`error: ${withCommandName(message)}\n`);
    return failed;
  } finally {
    endEarlyWorker();
  }
};

/** Help that was requested; without a command, it is shown as an error. */
const isHelp = ({ code }: CommanderError): boolean =>
  code === "commander.helpDisplayed" || code === "commander.version";

const isDebugging = (args: readonly string[]): boolean =>
  args.includes("--log-level=debug") || args[args.indexOf("--log-level") + 1] === "debug";

const readVersion = (): string => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    readonly version: string;
  };
  return version;
};

/** When the reader of the output has gone (`| head`), the program ends silently. */
const endWithReader = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE") throw error;
  process.exit(EXIT.ok);
};

/** The first process of a container gets no default signal handling. */
const endByDefault = (): void => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(EXIT.interrupted);
    });
};
