import type { AbsentSign, Chain, ChainStep, Source, Template, TemplatePart } from "./chain.ts";
import { encodingWords } from "./encodings.ts";
import type { Location, Place } from "./location.ts";
import { partName } from "./request-parts.ts";

/** A place in words: `meta[name="csrf"] @content`, `JSON hits[0].ref`. */
export const locationText = ({ place, part }: Location): string => {
  const where = placeText(place);
  if (part === undefined || part === "whole") return where;
  const address = place.in === "url" ? where : `the address at ${where}`;
  return "query" in part ? `\`${part.query}\` of ${address}` : `segment ${part.segment} of ${address}`;
};

const placeText = (place: Place): string => {
  switch (place.in) {
    case "attr":
      return `${place.css} @${place.name}`;
    case "text":
      return `the text of ${place.css}`;
    case "json":
      return `JSON ${place.path === "" ? "value" : place.path}`;
    case "entry":
      return `JSON ${place.member} of the entry of ${place.list} whose ${place.where} is the input's \`${place.property}\``;
    case "header":
      return `header ${place.name}`;
    case "cookie":
      return `cookie ${place.name}`;
    case "url":
      return "its address";
    case "source":
      return `the script value /${place.pattern}/`;
    default:
      return place satisfies never;
  }
};

const signText = (sign: AbsentSign): string => {
  switch (sign.by) {
    case "status":
      return `status ${sign.status}`;
    case "json":
      return `${sign.path} is ${JSON.stringify(sign.value)}`;
    case "element":
      return `${sign.css} is on the page`;
    case "text":
      return `the page says ${JSON.stringify(sign.text)}`;
    default:
      return sign satisfies never;
  }
};

const sourceText = (source: Source, steps: readonly ChainStep[]): string => {
  if (source.from === "clock") return `the time in ${source.unit}`;
  const words = encodingWords(source.encoding);
  const what =
    source.from === "input"
      ? `the input's \`${source.property}\``
      : `${locationText(source.location)} of \`${steps[source.step]!.name}\``;
  return words === "" ? what : `${what}, ${words}`;
};

const templateText = (template: Template, steps: readonly ChainStep[]): string =>
  template.map((one) => (typeof one === "string" ? JSON.stringify(one) : sourceText(one, steps))).join(" + ");

const isMade = ({ template }: TemplatePart): boolean => template.some((one) => typeof one !== "string");

const REASONS: Readonly<Record<ChainStep["reason"], string>> = {
  fields: "its response has the fields",
  values: "later requests need values from its response",
  cookies: "it sets cookies that the site asks for",
  state: "the site remembers it",
};

/** Why the step is there, where each changing part of it comes from, and how it says `absent`: one line each. */
export const stepLines = (step: ChainStep, steps: readonly ChainStep[]): string[] => [
  REASONS[step.reason],
  ...(step.link === undefined ? [] : [`address: ${sourceText(step.link, steps)}`]),
  ...step.parts.filter(isMade).map((part) => `${partName(part)}: ${templateText(part.template, steps)}`),
  ...(step.absent === undefined ? [] : [`absent if ${signText(step.absent)}`]),
];

/** The chain in words, request by request. */
export const explainSteps = (steps: readonly ChainStep[]): string[] =>
  steps.flatMap((step, at) => [
    `${at + 1}. ${step.method} ${step.path}  (${step.name})`,
    ...stepLines(step, steps).map((line) => `   ${line}`),
  ]);

/** The same, where its fields are, and what is not needed. */
export const explainChain = ({ steps, fields, files = [], dropped }: Chain): string[] => [
  ...explainSteps(steps),
  fields.by === "extract"
    ? "Fields: the scraper's own `extract` reads them."
    : `Fields: ${fields.fields.map(({ name, path }) => `${name} at ${path}`).join(", ")}${fields.each === undefined ? "" : ` of each ${fields.each}`}.`,
  ...files.map(
    ({ name, step, location }) => `File ${name}: ${locationText(location)} of \`${steps[step]!.name}\`.`,
  ),
  ...(dropped.length === 0 ? [] : [`Left out: ${dropped.join(", ")}.`]),
];
