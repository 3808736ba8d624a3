import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Me, ProblemError } from "../../client.ts";
import { EXIT } from "../exit-codes.ts";
import { print } from "../print.ts";
import { openClient } from "../service/open-client.ts";
import { keepKey, serverName } from "../service/stored-keys.ts";
import { UsageError } from "../usage-error.ts";

export interface LoginOptions {
  readonly server?: string;
  readonly json: boolean;
  readonly timeout?: number;
}

/** Keeps the key of a server in the user's own file, once the server has said that it is good. */
export const loginCommand = async ({ server, json, timeout }: LoginOptions): Promise<number> => {
  if (server === undefined)
    throw new UsageError("no server given. Name it with --server URL, such as http://127.0.0.1:7070.");
  const name = serverName(server);
  const key = process.env["SLUICE_KEY"]?.trim() || (await readKey(name));
  if (key === "") throw new UsageError("no key given. Paste it when asked, or pipe it in.");
  const { client, role } = await whoAmI(name, key, timeout);
  const file = keepKey(name, key);
  print(
    json
      ? [JSON.stringify({ server: name, client, role, file })]
      : [
          `Logged in at ${name} as ${client} (${role}). The key is in ${file}.`,
          `Commands ask this server with --server ${name}, or with:`,
          `  export SLUICE_SERVER=${name}`,
        ],
  );
  return EXIT.ok;
};

const whoAmI = async (server: string, key: string, timeout?: number): Promise<Me> => {
  try {
    return await (await openClient(server, key, timeout)).whoAmI();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "unauthorized") throw error;
    throw Object.assign(
      new UsageError(
        `${server}: this key is none of its own, or was revoked. Give it as \`sluice serve\` or \`sluice clients key\` has shown it.`,
      ),
      { cause: error },
    );
  }
};

/** From a pipe, or typed without being shown: a key in the command line would stay in the shell's history. */
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
