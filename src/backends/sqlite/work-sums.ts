import type { WorkSums } from "../../model/work-sums.ts";
import type { Database } from "./database.ts";

/** Inside the transaction of what is counted. */
export const addWorkSums = (db: Database, sums: WorkSums): void => {
  for (const [name, value] of Object.entries(sums))
    if (value)
      db.run(
        "INSERT INTO work_sums (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
        name,
        value,
      );
};

export const readWorkSums = (db: Database): WorkSums =>
  Object.fromEntries(
    db
      .all<{ name: string; value: number }>("SELECT name, value FROM work_sums ORDER BY name")
      .map(({ name, value }) => [name, value]),
  );
