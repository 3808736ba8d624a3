import { DEFAULT_ALERT_RULES } from "../model/alert-rules.ts";
import { unknownOption } from "../model/known-options.ts";
import { isWithin, RANGES } from "../model/number-range.ts";
import { ALERT_OPTIONS } from "./define-config.ts";

type Facts = Readonly<Record<string, unknown>>;

/** Options of each kind of channel; true for those that must be there. */
const CHANNELS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  slack: { kind: true, name: false, urlFrom: true },
  email: { kind: true, name: false, smtpFrom: true, from: true, to: true },
};

/** What is wrong with `alerts`, and the way out; undefined where nothing is. */
export const alertProblem = (alerts: unknown): string | undefined => {
  if (!isObject(alerts) || !Array.isArray(alerts["channels"]))
    return 'say who is told, such as { channels: [{ kind: "slack", urlFrom: "SLACK_URL" }] }.';
  const { channels, rules } = alerts;
  const unknown = unknownOption(alerts, ALERT_OPTIONS, "`alerts`");
  if (unknown !== undefined) return unknown;
  const problem = (channels as unknown[]).map(channelProblem).find((one) => one !== undefined);
  return problem ?? (rules === undefined ? undefined : ruleProblem(rules));
};

const channelProblem = (channel: unknown): string | undefined => {
  const options =
    isObject(channel) && typeof channel["kind"] === "string" ? CHANNELS[channel["kind"]] : undefined;
  if (!isObject(channel) || !options) return "a channel's `kind` is slack or email.";
  const { kind } = channel;
  const unknown = unknownOption(channel, namesOf(options), `a channel of kind ${String(kind)}`);
  if (unknown !== undefined) return unknown;
  const wrong = Object.keys(options).find((name) => !isRight(name, channel[name], options[name] === true));
  if (wrong === undefined) return undefined;
  const what =
    wrong === "to"
      ? "a list of addresses"
      : wrong.endsWith("From")
        ? "the name of an environment variable"
        : "a text";
  return `\`${wrong}\` of a channel of kind ${String(kind)} must be ${what}.`;
};

const isRight = (name: string, value: unknown, isNeeded: boolean): boolean => {
  if (value === undefined) return !isNeeded;
  if (name === "to") return Array.isArray(value) && value.length > 0 && value.every(isText);
  return name.endsWith("From") ? isText(value) && /^\w+$/.test(value) : isText(value);
};

const ruleProblem = (rules: unknown): string | undefined => {
  const names = Object.keys(DEFAULT_ALERT_RULES);
  if (!isObject(rules)) return `\`rules\` must be an object with some of: ${names.join(", ")}.`;
  const unknown = unknownOption(rules, namesOf(DEFAULT_ALERT_RULES), "`rules`");
  if (unknown !== undefined) return unknown;
  for (const [name, rule] of Object.entries(rules)) {
    const usual: unknown = DEFAULT_ALERT_RULES[name as keyof typeof DEFAULT_ALERT_RULES];
    if (rule === false || (typeof usual === "boolean" && typeof rule === "boolean")) continue;
    const wanted = isObject(usual) ? Object.keys(usual) : [];
    const other =
      isObject(rule) && isObject(usual) ? unknownOption(rule, namesOf(usual), `rule \`${name}\``) : undefined;
    if (other !== undefined) return other;
    const isWhole =
      isObject(rule) &&
      Object.keys(rule).length === wanted.length &&
      wanted.every((part) => isWithin(RANGES.alertNumber, rule[part]));
    if (!isWhole)
      return `rule \`${name}\` must be false or ${typeof usual === "boolean" ? "true" : `as in ${JSON.stringify(usual)}`}.`;
  }
  return undefined;
};

const namesOf = (options: object): Readonly<Record<string, true>> =>
  Object.fromEntries(Object.keys(options).map((name) => [name, true]));

const isObject = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
