import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Command, Option } from "commander";
import type { Me } from "../../client.ts";
import { EXIT, UsageError } from "../exit.ts";
import { jsonOption, timeoutOption, type ToAction } from "../options.ts";
import { print } from "../terminal.ts";

const HELP = `
SLUICE_KEY in the environment overrides the stored key.

Examples:
  sluice login --server http://127.0.0.1:7070
  sluice login --server https://sluice.example.org < key.txt`;

interface LoginOptions {
  readonly server?: string;
  readonly json: boolean;
  readonly timeout?: number;
}

export const register = (program: Command, toAction: ToAction): void => {
  program
    .command("login")
    .summary("Store the API key of a server")
    .description(
      "Store the API key of a server in your user configuration. Reads the key from the terminal or stdin.",
    )
    .addOption(
      new Option("--server <url>", "the server, for example http://127.0.0.1:7070").env("SLUICE_SERVER"),
    )
    .addOption(timeoutOption())
    .addOption(jsonOption())
    .addHelpText("after", HELP)
    .action(toAction(login));
};

/** Stores the key only after the server has accepted it. */
const login = async ({ server, json, timeout }: LoginOptions): Promise<number> => {
  if (server === undefined)
    throw new UsageError("no server. Name it with --server URL, for example http://127.0.0.1:7070.");
  const { keepKey, serverName } = await import("../service/stored-keys.ts");
  const name = serverName(server);
  const key = process.env["SLUICE_KEY"]?.trim() || (await readKey(name));
  if (key === "") throw new UsageError("no key. Paste it at the prompt, or pipe it to stdin.");
  const { client, role } = await whoAmI(name, key, timeout);
  const file = keepKey(name, key);
  print(
    json
      ? [JSON.stringify({ server: name, client, role, file })]
      : [
          `Logged in to ${name} as ${client} (${role}). The key is stored in ${file}.`,
          `Use this server with --server ${name}, or for all commands with:`,
          `  export SLUICE_SERVER=${name}`,
        ],
  );
  return EXIT.ok;
};

const whoAmI = async (server: string, key: string, timeout?: number): Promise<Me> => {
  const { openClient } = await import("../service/open-client.ts");
  const { ProblemError } = await import("../../client.ts");
  try {
    return await (await openClient(server, key, timeout)).whoAmI();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "unauthorized") throw error;
    throw Object.assign(
      new UsageError(
        `${server}: the server does not accept this key; it is wrong or revoked. Use a key that \`sluice serve\` or \`sluice clients key\` printed.`,
      ),
      { cause: error },
    );
  }
};

/** From a pipe, or typed without echo: a key on the command line would stay in the shell's history. */
const readKey = async (server: string): Promise<string> => {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (process.stdin.isTTY) process.stderr.write(`API key for ${server}: `);
  const lines = createInterface({ input: process.stdin, output: silent, terminal: process.stdin.isTTY });
  try {
    for await (const line of lines) return line.trim();
    return "";
  } finally {
    lines.close();
    if (process.stdin.isTTY) process.stderr.write("\n");
  }
};
