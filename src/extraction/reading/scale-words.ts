/** Words that mean the same in every language that has them; "billion" is read the English way. Letters (`5M`, `5k`) are open to several readings. */
const SCALES: readonly (readonly [words: string, factor: number])[] = [
  ["thousand", 1e3],
  ["million|millions|mio\\.?|millionen|millones|milhões|milioni|miljoen", 1e6],
  ["billion|billions|mrd\\.?|milliarde|milliarden|milliard|milliards|miljard|miliardi", 1e9],
  ["trillion|trillions", 1e12],
];
/** Japan, China and Korea count in these. */
const MYRIADS: readonly (readonly [signs: string, factor: number])[] = [
  ["万萬만", 1e4],
  ["億亿억", 1e8],
];

const SCALE = new RegExp(
  `^(?<number>.*\\d)\\s+(?:${SCALES.map(([words], at) => `(?<s${at}>${words})`).join("|")})(?<rest>\\W.*|)$`,
  "iu",
);

const MYRIAD = new RegExp(
  `^(?<number>.*\\d)\\s?(?<sign>[${MYRIADS.map(([signs]) => signs).join("")}])$`,
  "u",
);

/** `1.2 million` as `1.2` and a million; undefined where no such word stands behind the number. */
export function scaleOf(text: string): { readonly text: string; readonly factor: number } | undefined {
  // Most numbers have neither.
  if (!/\p{L}/u.test(text)) return undefined;
  const myriad = MYRIAD.exec(text)?.groups;
  if (myriad !== undefined) {
    const factor = MYRIADS.find(([signs]) => signs.includes(myriad["sign"] ?? ""))?.[1];
    return { text: myriad["number"] ?? "", factor: factor ?? 1 };
  }
  const groups = SCALE.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const at = SCALES.findIndex((_, index) => groups[`s${index}`] !== undefined);
  return { text: `${groups["number"]}${groups["rest"]}`, factor: SCALES[at]?.[1] ?? 1 };
}
