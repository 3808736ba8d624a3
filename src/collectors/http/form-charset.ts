type Encode = (text: string) => Buffer;

/**
 * How form data is turned into bytes for a site that reads this charset. Single-byte charsets are written as such, with
 * `&#8364;` for what they lack, as browsers do; for the rest (UTF-8, and multi-byte ones that Node cannot write) UTF-8.
 */
export const encoderFor = (charset: string): Encode => {
  const table = tableOf(charset);
  if (!table) return (text) => Buffer.from(text);
  return (text) =>
    Buffer.concat(
      Array.from(text, (char) => {
        const byte = table.get(char);
        return byte === undefined ? Buffer.from(`&#${char.codePointAt(0)};`) : Buffer.of(byte);
      }),
    );
};

const SINGLE_BYTE =
  /^(?:windows-125\d|windows-874|iso-8859-\d+(?:-i)?|koi8-[ru]|ibm866|macintosh|x-mac-cyrillic)$/;

/** By the charset's own name, not by label: sites may write anything there. */
const tables = new Map<string, ReadonlyMap<string, number>>();

const tableOf = (label: string): ReadonlyMap<string, number> | undefined => {
  const decoder = decoderFor(label);
  if (!decoder || !SINGLE_BYTE.test(decoder.encoding)) return undefined;
  const known = tables.get(decoder.encoding);
  if (known) return known;
  const chars = Array.from(
    { length: 256 },
    (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte] as const,
  );
  const table = new Map(chars.filter(([char]) => char !== "\uFFFD"));
  tables.set(decoder.encoding, table);
  return table;
};

const decoderFor = (label: string): InstanceType<typeof TextDecoder> | undefined => {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
};
