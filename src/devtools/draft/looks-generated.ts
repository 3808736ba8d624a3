/** Written by programs: they change with the next build of the site, or from page to page. */
const SIGNS: readonly RegExp[] = [
  // ASP.NET, JSF, React's useId, GWT, Ember, ExtJS, YUI
  /^ctl\d|:|^j_id|^gwt-uid|^ember\d|^ext-|^yui/i,
  // styled-components, emotion, JSS, Angular
  /^(?:sc|css|jss|jsx|svelte)-|^_?ng[-_]/i,
  // numbers of rows, posts and instances
  /^\d|\d{3}/,
];

/** Whether an id or a class looks like the work of a program. Better too careful: other ways lead to the element. */
export const looksGenerated = (word: string): boolean =>
  SIGNS.some((sign) => sign.test(word)) || word.split(/[-_]+/).some(isHash);

/** `1k3f9`, `bdVaJa`, `c0ffee`: digits among letters, or capitals where no word begins. */
const isHash = (part: string): boolean => {
  if (part.length < 5) return false;
  if (/\d/.test(part) && !/^[A-Za-z]+\d{1,2}$/.test(part)) return true;
  const humps = part.split(/(?=[A-Z])/);
  return humps.length > 2 && part.length / humps.length < 2.6;
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const LOOKS = words(
  "odd even alt first last active current selected open hidden visible left right center top bottom clearfix container wrapper inner outer row col small large",
);
const LOOKS_BEFORE_A_DASH = words(
  "is has js no u m p mt mb ml mr mx my pt pb pl pr px py w h d col row text font bg border flex grid align justify float",
);

/** Whether a class says only how a thing looks, where it stands or how it is at the moment: `text-right`, `col-md-6`, `odd`. */
export const isLook = (word: string): boolean => {
  const [before = "", ...rest] = word.toLowerCase().split("-");
  return LOOKS.has(word.toLowerCase()) || (rest.length > 0 && LOOKS_BEFORE_A_DASH.has(before));
};
