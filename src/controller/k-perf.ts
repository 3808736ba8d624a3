import { openApiGround } from "./api-ground.suite.ts";
await using g = await openApiGround();
const big = (await g.ask<{ job: { id: string } }>("POST", "/v1/jobs", { json: { scraper: "county" } })).body.job.id;
console.log(`${g.url}/v1/jobs/${big}/inputs`);
const before = process.resourceUsage().maxRSS / 1024;
let heap = 0, ext = 0; const t = setInterval(() => { const m = process.memoryUsage(); heap = Math.max(heap, m.heapTotal); ext = Math.max(ext, m.external); }, 50);
await new Promise((r) => process.stdin.once("data", r)); clearInterval(t);
console.log("rss before", before, "max rss MB", process.resourceUsage().maxRSS / 1024, "heapTotal", heap / 1e6, "external", ext / 1e6); process.stdin.destroy();
