// Written so that an old Node understands it too.
import { readFileSync } from "fs";

const LOOK_MS = 400;

/** Told on `process` when whoever started this program is gone. */
export const PARENT_GONE = "sluice:parent-gone";

/** What a child is given so that it ends with this process. */
export function childEnvironment() {
  return Object.assign({}, process.env, { SLUICE_PARENT: String(process.pid) });
}

/**
 * Shells that wait for a program, and npm, which starts one, pass no signals on: killed, they leave it behind. So a program that was started in such
 * a way ends when its parent does. One that was put in the background, or runs under a supervisor, does not.
 */
export function endWithParent() {
  const look = tieToParent(process.env);
  if (look === undefined) return;
  let looksAlone = 0;
  setInterval(() => {
    if (look()) return;
    looksAlone += 1;
    // A signal to the whole group arrives here as well: it comes first, and this is no second one.
    if (looksAlone === 2 && !process.emit(PARENT_GONE)) process.kill(process.pid, "SIGTERM");
  }, LOOK_MS).unref();
}

/** Whether the parent is still there, as a function to ask; undefined where it does not matter. */
function tieToParent(env) {
  const pid = process.ppid;
  const isThere = () => process.ppid === pid;
  if (env.SLUICE_PARENT !== undefined) return Number(env.SLUICE_PARENT) === pid ? isThere : undefined;
  const isOfNpm = env.npm_command !== undefined;
  try {
    const parent = readProcess(pid);
    // With job control, what runs in the background has a group of its own.
    if (parent.group !== readProcess(process.pid).group) return undefined;
    if (parent.shellText === undefined) return isOfNpm ? isThere : undefined;
    if (BACKGROUND.test(parent.shellText)) return undefined;
    // npm's shell outlives an npm that was killed.
    return isOfNpm ? () => isThere() && parentOf(pid) === parent.parent : isThere;
  } catch {
    return isOfNpm ? isThere : undefined; // no /proc here
  }
}

function parentOf(pid) {
  try {
    return readProcess(pid).parent;
  } catch {
    return undefined; // it has just ended
  }
}

/** `&`, and neither `&&`, `>&`, `&>` nor `\&`. */
const BACKGROUND = /(^|[^&>\\])&(?![&>])/;

function readProcess(pid) {
  // "pid (name) state parent group …", where the name may hold anything.
  const [, parent, group] = readFileSync("/proc/" + pid + "/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const [program, flag, text] = readFileSync("/proc/" + pid + "/cmdline", "utf8").split("\0");
  const isShell = /(^|\/)(ba|da|z|k|a)?sh$/.test(program) && /^-[a-z]*c$/.test(flag);
  return { parent, group, shellText: isShell ? text : undefined };
}
