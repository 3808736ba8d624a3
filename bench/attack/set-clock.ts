/**
 * Loaded before each process of an attacked service: its clock is as far from the machine's as the file `CLOCK_FILE` says, in milliseconds. Setting the
 * machine's own clock needs rights that a test has not.
 */
import { readFileSync } from "node:fs";

const realNow = Date.now;
const file = process.env["CLOCK_FILE"]!;
let offsetMs = 0;

const look = (): void => {
  try {
    offsetMs = Number(readFileSync(file, "utf8")) || 0;
  } catch {
    // as it was: there are no open files left, or it is not there
  }
};
look();
setInterval(look, 50).unref();
Date.now = () => realNow() + offsetMs;
