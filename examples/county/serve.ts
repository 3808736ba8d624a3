import { parseArgs } from "node:util";
import { parseSwitches, SWITCHES } from "./app/switches.ts";
import { DEFAULT_MANNERS } from "./misbehave.ts";
import { parseTroubles } from "./troubles.ts";
import { type ChangedLayout, type CountyOptions, startCounty } from "./site.ts";

const USAGE = `node examples/county/serve.ts [options]
  --port N               0: the system chooses (default)
  --host ADDRESS         default 127.0.0.1
  --hosts N              listen on N addresses, from --host on
  --parcels N            default 2000
  --seed N               another county
  --troubles LIST        all, none (default) or NAME=PERCENT,…: see the README
  --scripted             troubles and truth of the scripted variant, at /app
  --switches LIST        of the scripted variant: ${Object.keys(SWITCHES).join(", ")}
  --hold-ms N            how long an answer that never comes is held back
  --drip-ms N            how long a slow page takes
  --popups N             how many windows the trouble of that name opens
  --block ADDRESSES      visitors from these get a block page
  --crawl-delay SECONDS  in robots.txt
  --change-after N       change the layout after N detail pages
  --change-to LAYOUT     all (default), some or search
  --log FILE             append one JSON line per request
  --truth FILE           write one JSON line per parcel, at start
`;

const LAYOUTS = ["all", "some", "search"] as const satisfies ChangedLayout[];

let options: CountyOptions;
try {
  options = readOptions();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exit(2);
}

const county = await startCounty(options);
process.stdout.write(`${JSON.stringify({ url: county.url, urls: county.urls })}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void county.close());
}

function readOptions(): CountyOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    options: {
      port: text,
      host: text,
      hosts: text,
      parcels: text,
      seed: text,
      troubles: text,
      scripted: { type: "boolean" },
      switches: text,
      "hold-ms": text,
      "drip-ms": text,
      popups: text,
      block: text,
      "crawl-delay": text,
      "change-after": text,
      "change-to": text,
      log: text,
      truth: text,
    },
  });
  const number = (name: Exclude<keyof typeof values, "scripted">): number | undefined => {
    const given = values[name];
    if (given === undefined) return undefined;
    if (!/^\d+(\.\d+)?$/.test(given)) throw new RangeError(`--${name} ${given}: expected a number`);
    return Number(given);
  };
  const changeTo = LAYOUTS.find((layout) => layout === values["change-to"]);
  if (changeTo === undefined && values["change-to"] !== undefined) {
    throw new RangeError(`--change-to ${values["change-to"]}: expected one of ${LAYOUTS.join(", ")}`);
  }
  return {
    port: number("port"),
    host: values.host,
    hosts: number("hosts"),
    parcels: number("parcels"),
    seed: number("seed"),
    troubles: parseTroubles(values.troubles ?? "none", values),
    scripted: values.scripted,
    switches: [...parseSwitches(values.switches ?? "")],
    manners: {
      holdMs: number("hold-ms") ?? DEFAULT_MANNERS.holdMs,
      dripMs: number("drip-ms") ?? DEFAULT_MANNERS.dripMs,
      popups: number("popups") ?? DEFAULT_MANNERS.popups,
    },
    blocks: values.block?.split(","),
    crawlDelay: number("crawl-delay"),
    changeAfterItems: number("change-after"),
    changeTo,
    log: values.log,
    truth: values.truth,
    keepsArrivals: false,
  };
}
