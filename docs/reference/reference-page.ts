import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { readFunctions } from "./read-functions.ts";
import { type Member, readInterface } from "./read-interface.ts";

const ROOT = resolve(import.meta.dirname, "../..");

export interface Section {
  readonly title: string;
  /** Said under the title. */
  readonly says?: string;
  /** Source file and the interfaces in it, whose members are listed one after the other. */
  readonly of?: readonly (readonly [file: string, ...names: string[]])[];
  /** Members that are not for authors. */
  readonly without?: readonly string[];
  /** An object of functions. */
  readonly functions?: { readonly file: string; readonly name: string };
}

/** What cannot be found in the sources, or has no comment there, is a mistake: `problems` names it. */
export function renderReference(
  sections: readonly Section[],
  program: Command,
): { readonly text: string; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const lines = [
    "# Reference",
    "",
    "All options of scrapers, fields, the configuration and the commands. Generated from the sources by `npm run docs`; a test checks that it is up to date.",
  ];
  for (const section of sections) {
    const { title, says } = section;
    lines.push("", `## ${title}`, "", ...(says === undefined ? [] : [says, ""]));
    lines.push("| name | type | |", "|---|---|---|");
    for (const { name, isOptional, type, says: sentence } of membersOf(section, problems))
      lines.push(`| \`${name}${isOptional ? "?" : ""}\` | ${code(type)} | ${cell(sentence)} |`);
  }
  lines.push("", "## Commands");
  for (const command of leaves(program)) {
    lines.push("", `### \`${usageOf(command)}\``, "", command.description());
    if (command.options.length > 0) lines.push("", "| option | |", "|---|---|");
    for (const option of command.options) {
      if (option.description === "") problems.push(`${usageOf(command)}: ${option.flags} has no description`);
      lines.push(`| \`${option.flags}\` | ${cell(option.description)} |`);
    }
  }
  return { text: `${lines.join("\n")}\n`, problems };
}

function membersOf({ of = [], without = [], functions }: Section, problems: string[]): Member[] {
  const members: Member[] = [];
  const add = (place: string, found: readonly Member[]): void => {
    for (const member of found) {
      if (without.includes(member.name)) continue;
      if (member.says === "") problems.push(`${place}.${member.name} has no comment`);
      if (member.type === "") problems.push(`${place}.${member.name} does not say there how it is called`);
      members.push(member);
    }
  };
  const listed = of.flatMap(([file, ...names]) =>
    names.map((name) => ({ place: `${file}: ${name}`, found: readInterface(sourceOf(file), name) })),
  );
  for (const { place, found } of listed) add(place, found);
  for (const name of without)
    if (!listed.some(({ found }) => found.some((member) => member.name === name)))
      problems.push(`there is no ${name} to be left out`);
  if (functions === undefined) return members;

  const { file, name } = functions;
  add(`${file}: ${name}`, readFunctions(sourceOf(file), name));
  return members.map((member) => ({ ...member, name: `${name}.${member.name}` }));
}

const sourceOf = (file: string): string => readFileSync(resolve(ROOT, file), "utf8");

const code = (type: string): string => `\`${type.replaceAll("|", "\\|")}\``;
const cell = (text: string): string => text.replaceAll("|", "\\|");

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);

const usageOf = (command: Command): string => {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  const given = command.registeredArguments.map((argument) => {
    const name = `${argument.name().toUpperCase()}${argument.variadic ? "…" : ""}`;
    return argument.required ? name : `[${name}]`;
  });
  return [...names, ...given].join(" ");
};
