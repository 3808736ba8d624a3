import { render } from "preact";
import { App } from "./app.tsx";
import { pageAt } from "./pages.ts";
import { path, startRouter } from "./router.ts";

// The page's code comes while the server is asked who is signed in. If that fails, the page says so.
pageAt(path.value)
  ?.page.load()
  .catch(() => undefined);
startRouter();
render(<App />, document.getElementById("app")!);
