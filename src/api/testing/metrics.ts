export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A value is what Go's ParseFloat takes: `Nan` too. */
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([Nn]a[Nn]|[+-]?Inf|[+-]?[\d.eE+-]+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;

/** Reads Prometheus' text format; throws at the first line that is none of it. */
export const readMetrics = (text: string): Series[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no sample: ${line}`);
      return { name, labels: readLabels(labels, line), value: readValue(value) };
    });

const readLabels = (text: string, line: string): Record<string, string> => {
  const labels = [...text.matchAll(LABEL)];
  if (labels.map(([whole]) => whole).join("") !== text) throw new Error(`labels: ${line}`);
  return Object.fromEntries(labels.map(([, name, value]) => [name!, value!]));
};

const readValue = (text: string): number => Number(text.replace("Inf", "Infinity"));

/** Of the rules of `promtool check metrics`, those that this service could break. */
export const whatIsWrong = (text: string): string[] => {
  const wrong: string[] = [];
  const helps = new Set<string>();
  const types = new Map<string, string>();
  for (const line of text.split("\n").filter((one) => one.startsWith("# "))) {
    const [, word, name = "", ...rest] = line.split(" ");
    if (word === "HELP" && rest.join("").length > 0) helps.add(name);
    if (word !== "TYPE") continue;
    if (types.has(name)) wrong.push(`${name}: twice`);
    types.set(name, rest[0] ?? "");
  }
  for (const [name, type] of types) {
    if (!helps.has(name)) wrong.push(`${name}: no help`);
    if ((type === "counter") !== name.endsWith("_total")) wrong.push(`${name}: _total is for counters`);
    if (/_(count|sum|bucket|info_total)$/.test(name)) wrong.push(`${name}: a suffix that has a meaning`);
    if (/_(ms|milliseconds|minutes|hours|kb|kilobytes|mb|percent)(_|$)/.test(name))
      wrong.push(`${name}: no base unit`);
    if (/[A-Z:]/.test(name)) wrong.push(`${name}: not in snake_case`);
    if (/_(gauge|counter|histogram|summary)(_|$)/.test(name)) wrong.push(`${name}: its type in its name`);
  }
  const seen = new Set<string>();
  for (const { name, labels } of readMetrics(text)) {
    const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "");
    if (!types.has(family)) wrong.push(`${name}: no type`);
    const id = `${name}${JSON.stringify(labels)}`;
    if (seen.has(id)) wrong.push(`${id}: twice`);
    seen.add(id);
  }
  return wrong;
};
