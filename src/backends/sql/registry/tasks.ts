import { all, arrays, run, type StepEngine } from "../steps.ts";

export const holdTask = async (
  db: StepEngine,
  task: string,
  holder: string,
  forMs: number,
): Promise<boolean> => {
  const isAnothers = await db.read(function* (now) {
    const [held] = yield* all<{ holder: string; held_until: number }>(
      "SELECT holder, held_until FROM duties WHERE duty = ?",
      task,
    );
    return held !== undefined && held.holder !== holder && held.held_until > now;
  });
  // Controllers that do not hold the task ask repeatedly: this works without the write lock.
  if (isAnothers) return false;
  const changed = await db.write(
    "registry",
    (now) =>
      run(
        `INSERT INTO duties (duty, holder, held_until) VALUES (?1, ?2, ?3) ON CONFLICT (duty)
         DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
         WHERE duties.holder = excluded.holder OR duties.held_until <= ?4`,
        task,
        holder,
        now + forMs,
        now,
      ),
    false,
  );
  return changed > 0;
};

export const dropTask = async (db: StepEngine, task: string, holder: string): Promise<void> => {
  const text = "DELETE FROM duties WHERE duty = ? AND holder = ?";
  await db.write("registry", () => run(text, task, holder), false);
};

export const readAlert = async (db: StepEngine, id: string): Promise<string | undefined> =>
  (await db.read(() => arrays<[string]>("SELECT state FROM alerts WHERE id = ?", id)))[0]?.[0];

export const saveAlert = async (db: StepEngine, id: string, state: string | null): Promise<void> => {
  await db.write("registry", () =>
    state === null
      ? run("DELETE FROM alerts WHERE id = ?", id)
      : run(
          "INSERT INTO alerts (id, state) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state",
          id,
          state,
        ),
  );
};
