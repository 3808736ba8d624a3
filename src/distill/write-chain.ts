import { literal as quoted, templateText, valueComment } from "../devtools/draft/write-scraper.ts";
import { parseJsonPath, valuesAt } from "../extraction/json/json-path.ts";
import type { AbsentSign, Chain, ChainFile, ChainStep, FieldPath, Source, Template } from "./chain.ts";
import { encodingCode } from "./encodings.ts";
import { explainSteps, locationText } from "./explain-chain.ts";
import { type FieldTree, fieldTree, isField } from "./extract-spec.ts";
import { stepTo } from "./find-locations.ts";
import type { Location, Place } from "./location.ts";
import { urlText } from "./request-parts.ts";
import type { AnyScraper } from "../scrapers/scraper.ts";
import type { Run } from "./run.ts";

export interface WrittenChain {
  readonly chain: Chain;
  readonly name: string;
  /** Path of the scraper that it was made from, relative to its own. */
  readonly source: string;
  /** Options of the source that are taken over: `input`, `key`, `pace`. */
  readonly takenOver: readonly string[];
  readonly site: string | undefined;
  readonly sample: Run["input"];
  /** Lines of its first comment. */
  readonly about: readonly string[];
  /** Further options, as code. */
  readonly options?: readonly string[];
}

/** Options that mean the same over HTTP. */
const TAKEN_OVER = [
  "site",
  "input",
  "key",
  "lane",
  "pace",
  "robots",
  "failures",
  "headers",
  "archive",
  "retention",
] as const;

export const optionsTakenOver = (scraper: AnyScraper): string[] =>
  TAKEN_OVER.filter((name) => scraper[name] !== undefined);

/** The chain as a scraper that a person can read and own. */
export const writeChain = (written: WrittenChain): string => {
  const { chain, name, source, takenOver, site, about, options = [] } = written;
  const body = new BodyWriter(written).lines();
  const fields = extractLines(chain);
  const code = [...body, ...fields].join("\n");
  const uses = (word: string): boolean =>
    new RegExp(`\\b${word}\\(`).test(code) || new RegExp(`\\b${word}\\.`).test(code);
  const isCode = /\.[cm]?[jt]s$/.test(source);
  const imported = ["absent", "by", "defineScraper", "field", "type InputOf", "need", "scraperFile"].filter(
    (one) =>
      one === "defineScraper" ||
      (one === "type InputOf" ? isCode : one === "scraperFile" ? !isCode : uses(one)),
  );
  const sourceLine = isCode
    ? `import source from ${literal(source)};`
    : `\nconst source = await scraperFile(${literal(source)}, import.meta.url);`;
  return `/**
${[...about, ...explainSteps(chain.steps)].map((line) => ` * ${line.replaceAll("*/", "* /")}`.trimEnd()).join("\n")}
 */
import { ${imported.join(", ")} } from "sluice-jobs";
${sourceLine}

export default defineScraper({
  name: ${literal(name)},
${site === undefined ? "" : `  site: ${takenOver.includes("site") ? "source.site!" : literal(site)},\n`}${takenOver
    .filter((one) => one !== "site")
    .map((one) => `  ${one}: source.${one}${one === "input" ? "" : "!"},\n`)
    .join("")}${options.map((line) => `  ${line},\n`).join("")}
  async collect({ input: given, http, keep }) {
    const input = given as ${isCode ? "InputOf<typeof source>" : typeCode(written.sample)};
${body.map((line) => `    ${line}`).join("\n")}
  },

${fields.map((line) => `  ${line}`).join("\n")}
});
`;
};

/** The type of an input, as code. */
const typeCode = (value: unknown): string => {
  if (Array.isArray(value)) return `readonly (${value.length === 0 ? "unknown" : typeCode(value[0])})[]`;
  if (typeof value !== "object" || value === null) return value === null ? "unknown" : typeof value;
  const members = Object.entries(value).map(
    ([name, one]) => `readonly ${memberName(name)}: ${typeCode(one)}`,
  );
  return `{ ${members.join("; ")} }`;
};

/** Lines of code longer than this are broken; those of `collect` are indented, and most begin with a variable. */
const WIDTH = 110 - 4 - 20;

const callCode = (name: string, parameters: readonly string[]): string => {
  const line = `${name}(${parameters.join(", ")})`;
  return line.length <= WIDTH ? line : `${name}(\n${parameters.map((one) => `  ${one},`).join("\n")}\n)`;
};

/** The requests, as code: a variable for each answer and for each value that later requests use. */
class BodyWriter {
  readonly #chain: Chain;
  readonly #site: string | undefined;
  readonly #sample: Run["input"];
  /** Of values, by what they are. */
  readonly #names = new Map<string, string>();
  readonly #taken: Set<string>;

  constructor({ chain, site, sample }: WrittenChain) {
    this.#chain = chain;
    this.#site = site === undefined ? undefined : new URL(site).origin;
    this.#sample = sample;
    this.#taken = new Set([...chain.steps.map(({ name }) => name), ...RESERVED]);
  }

  lines(): string[] {
    const { steps, files = [] } = this.#chain;
    const requests = steps.flatMap((step, at) => {
      const used = this.#valuesOf(at);
      const isNamed =
        step.keeps !== undefined ||
        files.some((file) => file.step === at) ||
        used.length > 0 ||
        step.absent !== undefined;
      const call = `${isNamed ? `const ${step.name} = ` : ""}await ${this.#request(step)};`;
      return [
        ...call.split("\n"),
        ...(step.absent === undefined ? [] : [`if (${signCode(step.absent, step.name)}) throw absent();`]),
        ...used.flatMap(([name, location]) =>
          `const ${name} = ${valueCode(location, step.name)};`.split("\n"),
        ),
        ...(step.keeps === undefined ? [] : [`keep.page(${literal(step.keeps)}, ${step.name});`]),
      ];
    });
    return [...requests, ...files.flatMap((file) => this.#file(file))];
  }

  #file({ name, step, location }: ChainFile): string[] {
    const answer = this.#chain.steps[step]!.name;
    const link = this.#nameOf(keyOf(step, location), location);
    return [
      `const ${link} = ${placeCode(location.place, answer)};`,
      `if (${link}) await keep.file(${literal(name)}, new URL(String(${link}), ${answer}.url));`,
    ];
  }

  /** The values of an answer that later requests use, each once. */
  #valuesOf(at: number): (readonly [string, Location])[] {
    const found = new Map<string, readonly [string, Location]>();
    for (const { parts, link } of this.#chain.steps)
      for (const one of [...parts.flatMap(({ template }) => template), link])
        if (typeof one === "object" && one.from === "step" && one.step === at) {
          const key = keyOf(one.step, one.location);
          found.set(key, [this.#nameOf(key, one.location), one.location]);
        }
    return [...found.values()];
  }

  #nameOf(key: string, location: Location): string {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const base = variableName(location);
    let name = base;
    for (let number = 2; this.#taken.has(name); number++) name = `${base}${number}`;
    this.#taken.add(name);
    this.#names.set(key, name);
    return name;
  }

  #request(step: ChainStep): string {
    const headers = step.parts
      .filter(({ in: place }) => place === "header")
      .map(({ name, template }) => member(name, this.#text(template)));
    const options = [
      ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
      ...(step.absent?.by === "status" ? [`accept: [${step.absent.status}]`] : []),
    ];
    const parameters = [
      step.link === undefined ? this.#url(step) : this.#source(step.link),
      ...(step.method === "GET" ? [] : [this.#body(step)]),
      ...(options.length === 0 ? [] : [`{ ${options.join(", ")} }`]),
    ];
    const verb = step.method === "GET" ? "http.get" : "http.post";
    return callCode(verb, parameters);
  }

  #url(step: ChainStep): string {
    const encoded = (template: Template): string =>
      template
        .map((one) =>
          typeof one === "string"
            ? templateText(urlText(one))
            : `\${encodeURIComponent(${this.#source(one)})}`,
        )
        .join("");
    const path = step.parts
      .filter(({ in: place }) => place === "path")
      .map(({ template }) => encoded(template));
    const query = step.parts
      .filter(({ in: place }) => place === "query")
      .map(({ name, template }) => `${templateText(urlText(name))}=${encoded(template)}`);
    const origin = step.origin === this.#site ? "" : step.origin;
    const url = `${origin}/${path.join("/")}${query.length === 0 ? "" : `?${query.join("&")}`}`;
    return url.includes("${") ? `\`${url}\`` : literal(url.replaceAll("\\`", "`"));
  }

  #body(step: ChainStep): string {
    switch (step.bodyKind) {
      case undefined:
        return `{ bytes: new Uint8Array(), mediaType: "text/plain" }`;
      case "text": {
        const text = this.#text(
          step.parts.filter(({ in: place }) => place === "body").flatMap(({ template }) => template),
        );
        return `{ bytes: Buffer.from(${text}), mediaType: ${literal(step.mediaType ?? "text/plain")} }`;
      }
      case "form": {
        const values = new Map<string, string[]>();
        for (const { in: place, name, template } of step.parts)
          if (place === "form") values.set(name, [...(values.get(name) ?? []), this.#text(template)]);
        const members = [...values].map(([name, all]) =>
          member(name, all.length === 1 ? all[0]! : `[${all.join(", ")}]`),
        );
        return `{ form: { ${members.join(", ")} } }`;
      }
      case "json":
        return `{ json: ${this.#json(step, step.json, "")} }`;
      default:
        return step.bodyKind satisfies never;
    }
  }

  #json(step: ChainStep, value: unknown, path: string): string {
    if (typeof value === "object" && value !== null) {
      const isList = Array.isArray(value);
      const members = Object.entries(value).flatMap(([key, inside]) => {
        const at = stepTo(path, key, isList);
        if (step.omitted?.includes(at)) return [];
        const code = this.#json(step, inside, at);
        return [isList ? code : member(key, code)];
      });
      return isList ? `[${members.join(", ")}]` : members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
    }
    const part = step.parts.find(({ in: place, name }) => place === "json" && name === path);
    const isMade = part?.template.some((one) => typeof one !== "string");
    if (!part || !isMade) return typeof value === "string" ? literal(value) : JSON.stringify(value);
    const text = this.#text(part.template);
    return typeof value === "number" ? `Number(${text})` : text;
  }

  /** A template as an expression that is a string. */
  #text(template: Template): string {
    const [only] = template;
    if (template.length === 1 && typeof only === "object") return this.#source(only);
    if (template.every((one) => typeof one === "string")) return literal(template.join(""));
    return `\`${template.map((one) => (typeof one === "string" ? templateText(one) : `\${${this.#source(one)}}`)).join("")}\``;
  }

  #source(source: Source): string {
    if (source.from === "clock")
      return source.unit === "ms" ? "String(Date.now())" : "String(Math.floor(Date.now() / 1000))";
    if (source.from === "step")
      return encodingCode(
        source.encoding,
        this.#nameOf(keyOf(source.step, source.location), source.location),
      );
    const path = parseJsonPath(source.property);
    const member = path
      .map((step) =>
        typeof step === "number" ? `[${step}]` : NAME.test(step) ? `.${step}` : `[${literal(step)}]`,
      )
      .join("");
    const isText = typeof valuesAt(this.#sample, path)[0] === "string";
    return encodingCode(source.encoding, isText ? `input${member}` : `String(input${member})`);
  }
}

/** With the quotes that need no escapes. */
const literal = (text: string): string => {
  const double = quoted(text);
  return text.includes('"') && !text.includes("'")
    ? `'${double.slice(1, -1).replaceAll('\\"', '"')}'`
    : double;
};

const keyOf = (step: number, location: Location): string => `${step} ${JSON.stringify(location)}`;
const NAME = /^[A-Za-z_$][\w$]*$/;
const member = (name: string, code: string): string =>
  name === code ? name : `${memberName(name)}: ${code}`;
const memberName = (name: string): string => (NAME.test(name) ? name : literal(name));

const RESERVED =
  "absent by class const default delete field function given http if import in input keep need new return source switch this throw try typeof var void while with".split(
    " ",
  );

/** By what names the value on its page: `csrfToken`, `ref`. */
const variableName = ({ place, part }: Location): string => {
  const named = typeof part === "object" && "query" in part ? part.query : undefined;
  const raw = named ?? placeName(place);
  const words = raw.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const name = words
    .map((word, at) =>
      at === 0 ? word[0]!.toLowerCase() + word.slice(1) : word[0]!.toUpperCase() + word.slice(1),
    )
    .join("");
  return /^[a-z]/.test(name) && name.length < 40 ? name : part === undefined ? "value" : "link";
};

const placeName = (place: Place): string => {
  switch (place.in) {
    case "attr":
      return (
        /\[(?:name|property)="?([^"\]]+)/.exec(place.css)?.[1] ??
        (place.name === "href" ? "link" : place.name)
      );
    case "text":
      return place.css.replace(/.*[#.]/, "");
    case "json":
      return (
        place.path
          .split(/[.[\]"]+/)
          .filter((word) => /^[A-Za-z]/.test(word))
          .at(-1) ?? "value"
      );
    case "header":
    case "cookie":
      return place.name;
    case "url":
      return "address";
    case "source":
      return (
        /[A-Za-z_$][\w$-]{2,}/.exec(
          place.pattern.replace(/^\(\?<!.*?\)/, "").replace(/\\\|hiddenField/, ""),
        )?.[0] ?? "value"
      );
    default:
      return place satisfies never;
  }
};

const placeCode = (place: Place, answer: string): string => {
  switch (place.in) {
    case "attr":
      return `${answer}.attr(${literal(place.css)}, ${literal(place.name)})`;
    case "text":
      return `${answer}.textOf(${literal(place.css)})`;
    case "json":
      return `${answer}.at(${literal(place.path)})`;
    case "header":
      return `${answer}.header(${literal(place.name)})`;
    case "cookie":
      return `${answer}.cookie(${literal(place.name)})`;
    case "url":
      return `${answer}.url`;
    case "source":
      return `/${place.pattern}/.exec(${answer}.text)?.[1]`;
    default:
      return place satisfies never;
  }
};

const valueCode = (location: Location, answer: string): string => {
  const { place, part } = location;
  const what = literal(locationText(location));
  const value = callCode("need", [placeCode(place, answer), what]);
  if (part === undefined) return value;
  const url = place.in === "url" ? `new URL(${answer}.url)` : `new URL(${value}, ${answer}.url)`;
  if (part === "whole") return `${url}.href`;
  return "query" in part
    ? `need(${url}.searchParams.get(${literal(part.query)}), ${what})`
    : `need(${url}.pathname.split("/").map(decodeURIComponent)[${part.segment}], ${what})`;
};

const signCode = (sign: AbsentSign, answer: string): string => {
  switch (sign.by) {
    case "status":
      return `${answer}.status === ${sign.status}`;
    case "json": {
      const value = `${answer}.at(${literal(sign.path)})`;
      const isSimple = typeof sign.value !== "object" || sign.value === null;
      return isSimple
        ? `${value} === ${JSON.stringify(sign.value)}`
        : `JSON.stringify(${value}) === ${literal(JSON.stringify(sign.value))}`;
    }
    case "element":
      return `${answer}.has(${literal(sign.css)})`;
    case "text":
      return `${answer}.text.includes(${literal(sign.text)})`;
    default:
      return sign satisfies never;
  }
};

const extractLines = ({ fields }: Chain): string[] =>
  fields.by === "extract"
    ? ["extract: source.extract!,"]
    : [
        "extract: {",
        `  from: ${fields.pages.length === 1 ? literal(fields.pages[0]!) : `[${fields.pages.map(literal).join(", ")}]`},`,
        ...(fields.pages.length > 1 ? ["  join: true,"] : []),
        ...(fields.each === undefined ? [] : [`  each: by.path(${literal(fields.each)}),`]),
        "  fields: {",
        ...fieldLines(fieldTree(fields.fields), "    "),
        "  },",
        "},",
      ];

const fieldLines = (tree: FieldTree, indent: string): string[] =>
  Object.entries(tree).flatMap(([name, node]) => {
    if (isField(node)) return fieldCode(node, memberName(name), indent);
    return [
      `${indent}${memberName(name)}: field.object({`,
      ...fieldLines(node, `${indent}  `),
      `${indent}}),`,
    ];
  });

const fieldCode = (
  { kind, path, options, rows, isOptional, lost }: FieldPath,
  name: string,
  indent: string,
): string[] => {
  const end = `)${isOptional ? ".optional()" : ""},`;
  const note = lost.length === 0 ? "" : ` ${valueComment(`not carried over: ${lost.join(", ")}`)}`;
  const place = `by.path(${literal(path)})`;
  if (rows !== undefined)
    return [
      `${indent}${name}: field.each(${place}, {`,
      ...fieldLines(fieldTree(rows), `${indent}  `),
      `${indent}}${end}${note}`,
    ];
  const given = Object.entries(options).map(([option, value]) => `${option}: ${optionCode(value)}`);
  return [
    `${indent}${name}: field.${kind}(${place}${given.length === 0 ? "" : `, { ${given.join(", ")} }`}${end}${note}`,
  ];
};

const optionCode = (value: unknown): string =>
  value instanceof RegExp ? String(value) : JSON.stringify(value);
