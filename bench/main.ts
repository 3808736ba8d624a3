/** Prints one JSON line per figure. Each program runs in its own process, in turns with those it is compared with. */
import { openKit, type BenchKit } from "./bench-kit.ts";
import { type BenchOptions, type FigureName, readOptions } from "./bench-options.ts";
import { type Figure, figureLine } from "./figure.ts";
import { measureApi } from "./figures/api.ts";
import { measureBrowser } from "./figures/browser.ts";
import { measureCalls } from "./figures/calls.ts";
import { measureClaim } from "./figures/claim.ts";
import { measureDashboard } from "./figures/dashboard.ts";
import { measureDistill } from "./figures/distill.ts";
import { measureDrift } from "./figures/drift.ts";
import { measureExtract } from "./figures/extract.ts";
import { measureFirstRequest } from "./figures/first-request.ts";
import { measureJudgement } from "./figures/judgement.ts";
import { measureLists } from "./figures/lists.ts";
import { measureLoad } from "./figures/load.ts";
import { measureMatcher } from "./figures/matcher.ts";
import { measureMemory } from "./figures/memory.ts";
import { measurePipeline } from "./figures/pipeline.ts";
import { measurePostgres } from "./figures/postgres.ts";
import { measureProxy } from "./figures/proxy.ts";
import { measureQueue } from "./figures/queue.ts";
import { measureSchedules } from "./figures/schedules.ts";
import { measureUpload } from "./figures/upload.ts";
import { measureVersions } from "./figures/versions.ts";
import { writeBenchPage } from "./write-bench-page.ts";

const MEASURES: Readonly<Record<FigureName, (kit: BenchKit, options: BenchOptions) => Promise<Figure[]>>> = {
  pipeline: measurePipeline,
  matcher: measureMatcher,
  queue: measureQueue,
  postgres: measurePostgres,
  claim: measureClaim,
  calls: measureCalls,
  lists: measureLists,
  load: measureLoad,
  upload: measureUpload,
  api: measureApi,
  dashboard: measureDashboard,
  memory: measureMemory,
  "first-request": measureFirstRequest,
  extract: measureExtract,
  judgement: measureJudgement,
  drift: measureDrift,
  schedules: measureSchedules,
  versions: measureVersions,
  distill: measureDistill,
  browser: measureBrowser,
  proxy: measureProxy,
};

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const options = readOptions(process.argv.slice(2));
const figures: Figure[] = [];
await using kit = openKit();
for (const name of options.only) {
  for (const figure of await MEASURES[name](kit, options)) {
    figures.push(figure);
    console.log(figureLine(figure));
  }
}
if (options.write) writeBenchPage(figures);
