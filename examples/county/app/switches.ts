/** How the whole scripted site behaves; each is off unless it is named. */
export const SWITCHES = {
  signed: "requests for a property carry `sig`, which the script computes from reference, key and minute",
  "one-time": "the two tokens of a search page are accepted once",
  popup: "a property opens in a new window",
  iframe: "a property is shown in a frame",
  "iframe-other": "the same, and the frame is of the second host: `hosts` must be 2 or more",
  shadow: "a property is shown in nested open shadow roots",
} as const;

export type Switch = keyof typeof SWITCHES;
export type Switches = ReadonlySet<Switch>;

const isSwitch = (name: string): name is Switch => Object.hasOwn(SWITCHES, name);

/** Reads `signed,popup`; an empty text is none. */
export function parseSwitches(text: string): Switches {
  return new Set(
    text
      .split(",")
      .filter((name) => name !== "")
      .map((name) => {
        if (isSwitch(name)) return name;
        throw new RangeError(`switch "${name}": expected one of ${Object.keys(SWITCHES).join(", ")}`);
      }),
  );
}
