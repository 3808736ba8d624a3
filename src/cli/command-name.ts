/** How this program was called, for commands to copy: `npx sluice` where npm has run it, else `sluice`. */
export const commandName = (env: Readonly<NodeJS.ProcessEnv> = process.env): string =>
  env["npm_command"] === "exec" ? "npx sluice" : "sluice";

/** The same in a text that names commands in backquotes. */
export const withCommandName = (text: string, env?: Readonly<NodeJS.ProcessEnv>): string =>
  text.replace(/(?<=`)sluice(?= )/g, commandName(env));
