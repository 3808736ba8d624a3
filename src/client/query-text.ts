type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** From the question mark on; a list is given as often as it has entries. */
export const queryText = (query: Query): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
};
