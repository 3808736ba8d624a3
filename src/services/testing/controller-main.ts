/** A controller's schedules in a process of their own, on a clock that runs faster. Started by `kill-controllers.ts`. */
import { runInputLoads, runSchedules, runStages } from "../../api/tasks/schedules.ts";
import { openServices } from "./schedule-kit.ts";

const [folder = "", startAt = "", realAt = "", speed = ""] = process.argv.slice(2);
const now = (): number => Number(startAt) + (Date.now() - Number(realAt)) * Number(speed);

await using services = await openServices(folder, now);
const over = new AbortController();
process.once("SIGTERM", () => over.abort());
process.once("disconnect", () => process.exit());
const options = {
  service: services,
  registry: services.registry,
  holder: `controller-${process.pid}`,
  runners: {},
  everyMs: 25,
  report: (task: string, error: unknown) => void process.stderr.write(`${task}: ${String(error)}\n`),
};
process.send?.("ready");
await Promise.all([
  runSchedules(options, over.signal),
  runStages(options, over.signal),
  runInputLoads(options, over.signal),
]);
