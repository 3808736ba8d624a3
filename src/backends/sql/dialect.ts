/**
 * The SQL of steps is the one that SQLite and PostgreSQL both understand, and a few words for what they name differently:
 *
 *     ?, ?1                   parameters; a `?` has the number after the highest before it
 *     @list(?1 bigint) a      rows with a `value`, from a parameter that is a JSON list of numbers or, with `text`, of texts
 *     @elements(column) a     `key` (from 0) and `value` of each element of a JSON list
 *     @entries(column) a      `key` and `value` of each entry of a JSON object
 *     @json(value)            a text as JSON, which `->` and `->>` take; null where it is damaged
 *     @open(queue)            whether a queue has items that have not ended
 *     @index(name)            after a table: the index to use, where SQLite would choose another
 *     @lock                   at the end of a SELECT: its rows stay as they are until the transaction ends
 *
 * Values of lists, elements and entries are texts or numbers: a number is `CAST(value AS BIGINT)`. `CROSS JOIN table alias ON` keeps the order of joins.
 */
export type Dialect = "sqlite" | "postgres";

interface Statement {
  readonly text: string;
  /** The parameters that are JSON lists, counted from 0. */
  readonly lists: readonly number[];
}

const WORDS = /'[^']*'|\?\d*|@(\w+)(?:\(([^()]*)\))?|CROSS JOIN(?= \w+ \w+ ON\b)/g;

const expand = (sql: string, dialect: Dialect): Statement => {
  const isPostgres = dialect === "postgres";
  const lists = new Set<number>();
  let highest = 0;
  const parameter = (word: string): number => {
    const number = word === "?" ? highest + 1 : Number(word.slice(1));
    highest = Math.max(highest, number);
    return number;
  };
  const listOf = (words: string): string => {
    const [word = "", ...type] = words.split(" ");
    const number = parameter(word);
    lists.add(number - 1);
    return isPostgres
      ? `(SELECT u.value FROM unnest($${number}::${type.join(" ")}[]) AS u (value))`
      : `json_each(${word})`;
  };
  const named = (name: string, of: string): string => {
    switch (name) {
      case "list":
        return listOf(of);
      case "elements":
        return isPostgres
          ? `LATERAL (SELECT e.n - 1 AS key, e.value FROM json_array_elements_text(${of}) WITH ORDINALITY AS e (value, n))`
          : `json_each(${of})`;
      case "entries":
        return isPostgres
          ? `LATERAL (SELECT e.key, e.value FROM json_each_text(${of}) AS e (key, value))`
          : `json_each(${of})`;
      case "json":
        return isPostgres ? `CAST(${of} AS JSON)` : `(CASE WHEN json_valid(${of}) THEN ${of} END)`;
      case "open":
        return isPostgres ? `${of}.is_open = 1` : `${of}.open > 0`;
      case "index":
        return isPostgres ? "" : `INDEXED BY ${of}`;
      case "lock":
        return isPostgres ? "FOR UPDATE" : "";
      default:
        throw new Error(`@${name} is no word of the dialect: ${sql}`);
    }
  };
  const text = sql.replace(WORDS, (word, name: string | undefined, of = "") => {
    if (name !== undefined) return named(name, of);
    if (word.startsWith("'")) return word;
    if (!word.startsWith("?")) return isPostgres ? "JOIN" : word;
    const number = parameter(word);
    return isPostgres ? `$${number}` : word;
  });
  return { text, lists: [...lists] };
};

const known: Readonly<Record<Dialect, Map<string, Statement>>> = { sqlite: new Map(), postgres: new Map() };

/** A statement in the engine's own SQL. Cached: there are few texts. */
export const statementIn = (dialect: Dialect, sql: string): Statement => {
  let statement = known[dialect].get(sql);
  if (!statement) known[dialect].set(sql, (statement = expand(sql, dialect)));
  return statement;
};
