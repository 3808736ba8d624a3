// Understood by any Node: says what is missing where an older one runs the npm scripts, else runs the program named first.
const { pathToFileURL } = require("node:url");
const { existsSync } = require("node:fs");
const path = require("node:path");

const major = Number(process.versions.node.split(".")[0]);
if (major < 24) {
  console.error(
    `Sluice needs Node 24 or newer; this is ${process.version}. ` +
      "On Linux and 64-bit Windows `npm ci` brings Node 24 along, unless optional dependencies are switched off. " +
      "Elsewhere, install Node 24.",
  );
  // The step that `npm ci` runs is not worth failing for: only the dashboard is missing then.
  process.exit(process.env.npm_lifecycle_event === "prepare" ? 0 : 1);
}
const [program, ...rest] = process.argv.slice(2);
// npx runs `prepare` for every folder that it finds the package in, also for copies without the tools.
if (process.env.npm_lifecycle_event === "prepare" && !existsSync(path.resolve(program))) process.exit(0);
process.argv.splice(1, process.argv.length - 1, path.resolve(program), ...rest);
void import("./end-with-parent.js").then(({ endWithParent }) => endWithParent());
void import(pathToFileURL(path.resolve(program)).href);
