/** Every text that a short pattern stands for: `infos?` is info and infos, `e-?mail(?: adresse)?`, `not[oa]`. Knows no more than `?`, groups and sets. */
export function expand(pattern: string): readonly string[] {
  let at = 0;

  const choice = (): string[] => {
    const found: string[] = [];
    do found.push(...sequence());
    while (pattern[at] === "|" && ++at > 0);
    return found;
  };

  const sequence = (): string[] => {
    let found = [""];
    while (at < pattern.length && pattern[at] !== "|" && pattern[at] !== ")") {
      let next = piece();
      if (pattern[at] === "?") {
        at++;
        next = ["", ...next];
      }
      found = found.flatMap((head) => next.map((tail) => head + tail));
    }
    return found;
  };

  const piece = (): string[] => {
    const char = pattern.charAt(at++);
    if (char === "[") {
      const end = pattern.indexOf("]", at);
      const letters = pattern.slice(at, end).split("");
      at = end + 1;
      return letters;
    }
    if (char !== "(") return [char];
    const inside = choice();
    at++;
    return inside;
  };

  return choice()
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text !== "");
}
