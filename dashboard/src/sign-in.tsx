import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { api, findMe, problemText } from "./api.ts";
import { textOf } from "./format.ts";
import { forgetData } from "./load.ts";

/** Asks for an API key. The server keeps it in a cookie that no script can read. */
export const SignIn = (): VNode => {
  const [error, setError] = useState<string | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const key = textOf(new FormData(event.target as HTMLFormElement), "key");
    setRunning(true);
    try {
      await api.beginSession(key);
      forgetData();
      await findMe();
    } catch (problem) {
      setError(problemText(problem));
      setRunning(false);
    }
  };
  return (
    <main class="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <h1>Sluice</h1>
        <label>
          API key
          <input
            name="key"
            type="password"
            autocomplete="current-password"
            required
            autofocus
            placeholder="sluice_…"
            aria-describedby="sign-in-help"
          />
        </label>
        {error !== undefined && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="main" disabled={isRunning}>
          {isRunning ? "Signing in…" : "Sign in"}
        </button>
        <p id="sign-in-help" class="quiet">
          You see what the key may see. No key yet? An admin of this installation can create one with{" "}
          <code>sluice clients key NAME</code>.
        </p>
      </form>
    </main>
  );
};
