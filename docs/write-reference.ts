/** `npm run docs`: writes docs/reference.md from the types and the command line's own options. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { buildProgram } from "../src/cli/program.ts";
import { renderReference } from "./reference/reference-page.ts";
import { SECTIONS } from "./reference/sections.ts";

const { text, problems } = renderReference(SECTIONS, await buildProgram("", () => undefined));
for (const problem of problems) console.error(problem);
writeFileSync(resolve(import.meta.dirname, "reference.md"), text);
process.exitCode = problems.length > 0 ? 1 : 0;
