import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "../attack.ts";
import type { AttackKit } from "../attack-kit.ts";
import { SMALL_ITEMS, SMALL_JOB } from "../fill-jobs.ts";

const PATHS = [
  `/v1/jobs/${SMALL_JOB}/results?format=jsonl`,
  `/v1/jobs/${SMALL_JOB}/results?format=csv`,
  `/v1/jobs/${SMALL_JOB}/manifest`,
];

interface Told {
  /** Lines of a complete answer, or undefined if it was missing or cut off. */
  readonly lines: readonly string[] | undefined;
  readonly status: number;
  readonly text: string;
}

const read = async (kit: AttackKit, path: string): Promise<Told> => {
  try {
    const { status, body } = await kit.ask(kit.attacker, path);
    const text = body.toString();
    return { status, text, lines: status === 200 ? text.split("\n").filter(Boolean) : undefined };
  } catch (error) {
    return { status: 0, text: String(error), lines: undefined };
  }
};

/** The first byte that differs by one bit, in the middle of the object. */
const damaged = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  const at = Math.floor(copy.length * (0.2 + 0.6 * Math.random()));
  copy[at] = copy[at]! ^ 1;
  return copy;
};

const objects: Attack = {
  name: "damaged segments, indexes and manifests",
  async run(kit) {
    const truth = await Promise.all(PATHS.map((path) => read(kit, path)));
    const captures = await kit.read<{ data: { id: string }[] }>(
      kit.attacker,
      `/v1/jobs/${SMALL_JOB}/items?limit=${SMALL_ITEMS}`,
    );
    const capturePath = `/v1/jobs/${SMALL_JOB}/items/${captures.data[0]!.id}/captures/0`;
    const page = await read(kit, capturePath);
    const folder = join(kit.service.data, "blobs");
    const files = globSync(`**/${SMALL_JOB}/**`, { cwd: folder, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    if (files.length < 3) return `${files.length} objects are stored`;
    for (const entry of files) {
      const file = join(entry.parentPath, entry.name);
      const bytes = readFileSync(file);
      writeFileSync(file, damaged(bytes));
      try {
        for (const [n, path] of PATHS.entries()) {
          const told = await read(kit, path);
          const known = new Set(truth[n]!.lines);
          const untrue = told.lines?.find((line) => !known.has(line));
          if (untrue !== undefined) return `${entry.name}: ${path} told ${untrue.slice(0, 100)}`;
          if (told.status === 500 && !told.text.includes('"damaged"'))
            return `${entry.name}: ${path} was answered ${told.text.slice(0, 200)}`;
        }
        const capture = await read(kit, capturePath);
        if (capture.status === 200 && capture.text !== page.text) return `${entry.name}: a page came damaged`;
      } finally {
        writeFileSync(file, bytes);
      }
    }
    return undefined;
  },
};

export const DAMAGE: readonly Attack[] = [objects];
