// Written so that an old Node understands it too.
import { readFileSync, readlinkSync } from "fs";
import { basename } from "path";

/** Worker processes, and a newer Node that is started in place of this one, hear of it so. */
export const NO_HANG_UP = "SLUICE_NOHUP";

/**
 * Who starts a program with `nohup`, or from a shell that ignores SIGHUP, wants it to outlive the terminal. Node makes every ignored signal deadly
 * again before any script runs, so that what is left to go by are traces: the shell's name for the command, the unreadable standard input that
 * `nohup` puts in place of a terminal, and a parent that ignores the signal itself.
 */
export function ignoreHangUp() {
  if (process.env[NO_HANG_UP] === undefined && !isToIgnore()) return;
  process.env[NO_HANG_UP] = "1";
  process.on("SIGHUP", () => undefined);
}

function isToIgnore() {
  if (basename(process.env._ || "") === "nohup") return true;
  try {
    const [, ignored] = /^SigIgn:\s*(\w+)/m.exec(readFileSync("/proc/" + process.ppid + "/status", "utf8"));
    if (parseInt(ignored.slice(-1), 16) & 1) return true;
    const [, flags] = /^flags:\s*(\d+)/m.exec(readFileSync("/proc/self/fdinfo/0", "utf8"));
    return readlinkSync("/proc/self/fd/0") === "/dev/null" && (parseInt(flags, 8) & 3) === 1;
  } catch {
    return false; // no /proc here
  }
}
