/** One member of an interface as its source has it. */
export interface Member {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
  /** The comment above it, on one line; empty when there is none. */
  readonly says: string;
}

/**
 * The members of an exported interface, from its source as the formatter leaves it: a member ends with
 * a semicolon at the end of a line, the interface with a brace at the beginning of one.
 */
export function readInterface(source: string, name: string): Member[] {
  const start = new RegExp(`^(?:export )?interface ${name}\\b[^]*?\\{$`, "m").exec(source);
  if (start === null) throw new Error(`no interface ${name} in the source`);
  const from = start.index + start[0].length;
  const body = source.slice(from, source.indexOf("\n}", from));
  const members: Member[] = [];
  let says: string[] = [];
  let pending = "";
  for (const line of body.split("\n")) {
    const text = line.trim();
    if (pending === "" && (text === "" || isComment(text))) {
      if (text.startsWith("/**")) says = [];
      says.push(text.replace(/^\/\*\*+|\*\/$|^\*(?!\/)/g, "").trim());
      continue;
    }
    pending = `${pending} ${text}`.trim();
    if (text.endsWith(";") && isBalanced(pending)) {
      members.push({ ...readMember(pending.slice(0, -1)), says: says.join(" ").trim() });
      pending = "";
      says = [];
    }
  }
  return members;
}

const isBalanced = (text: string): boolean =>
  (text.match(/[({[]/g)?.length ?? 0) === (text.match(/[)}\]]/g)?.length ?? 0);

const isComment = (text: string): boolean => /^(\/\*\*|\*|\/\/)/.test(text);

const MEMBER = /^(?:readonly )?(?<name>"[^"]+"|\w+)(?<mark>\?)?(?:: )?(?<type>[^]*)$/;

function readMember(text: string): Omit<Member, "says"> {
  const { name, mark, type } = MEMBER.exec(text)?.groups ?? {};
  if (name === undefined || type === undefined) throw new Error(`cannot read the member ${text}`);
  return { name, isOptional: mark !== undefined, type: type.replace(/\s+/g, " ").trim() };
}
