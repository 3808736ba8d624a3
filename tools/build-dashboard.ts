/**
 * `npm run dashboard`: the dashboard's files, ready to serve. In a clone, `npm ci` runs it (as `prepare`) and the files are in `dashboard/dist`; `npm run build` puts
 * them into the package. Names contain a hash of the content, and every file is also stored compressed.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "..");
const SOURCE = join(ROOT, "dashboard");

interface Asset {
  readonly name: string;
  readonly content: string;
}

/** Reasons that are no fault of the code: a package was left out when the others were installed. */
const IS_MISSING = /^ERR_MODULE_NOT_FOUND$/;

export const buildDashboard = async (to: string): Promise<void> => {
  const { main, needed, chunks } = await bundle();
  const style = hashed("style.css", stylesheet());
  const icon = hashed("icon.svg", readFileSync(join(SOURCE, "icon.svg"), "utf8"));
  const page = readFileSync(join(SOURCE, "index.html"), "utf8")
    .replace("/assets/style.css", `/assets/${style.name}`)
    .replace("/assets/icon.svg", `/assets/${icon.name}`)
    .replace("/assets/main.js", `/assets/${main}`)
    .replace("  </head>", `${needed.map(preload).join("")}  </head>`);
  // A server that runs meanwhile finds the old files or the new ones.
  const draft = `${to}.${process.pid}`;
  mkdirSync(join(draft, "assets"), { recursive: true });
  write(draft, { name: "index.html", content: page });
  for (const asset of [...chunks, style, icon]) write(join(draft, "assets"), asset);
  rmSync(to, { recursive: true, force: true });
  renameSync(draft, to);
};

/** Requested with the page, not only once the file that imports it has come. */
const preload = (name: string): string => `    <link rel="modulepreload" href="/assets/${name}" />\n`;

interface Bundle {
  readonly main: string;
  /** What `main` imports. */
  readonly needed: readonly string[];
  readonly chunks: readonly Asset[];
}

const bundle = async (): Promise<Bundle> => {
  const { rolldown } = await import("rolldown");
  const built = await rolldown({
    input: { main: join(SOURCE, "src/main.tsx") },
    platform: "browser",
    tsconfig: join(SOURCE, "tsconfig.json"),
    transform: { target: "es2023" },
  });
  const { output } = await built.generate({
    format: "esm",
    minify: true,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: "[name]-[hash].js",
    // Small parts that most pages share: as files of their own, they would be requested one after another.
    codeSplitting: { groups: [{ name: "shared", test: /dashboard\/src\/parts\/(?!chart)/ }] },
  });
  const files = output.filter((file) => file.type === "chunk");
  const entry = files.find(({ isEntry }) => isEntry)!;
  return {
    main: entry.fileName,
    needed: entry.imports,
    chunks: files.map(({ fileName, code }) => ({ name: fileName, content: code })),
  };
};

const stylesheet = (): string =>
  [
    join(ROOT, "node_modules/uplot/dist/uPlot.min.css"),
    join(SOURCE, "src/style.css"),
    join(SOURCE, "src/pages.css"),
  ]
    .map((file) => readFileSync(file, "utf8"))
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n");

const hashed = (name: string, content: string): Asset => {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 8);
  return { name: name.replace(/\.(?=\w+$)/, `-${hash}.`), content };
};

const write = (folder: string, { name, content }: Asset): void => {
  const file = join(folder, name);
  writeFileSync(file, content);
  writeFileSync(`${file}.br`, brotliCompressSync(content));
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
};

if (process.argv[1] === import.meta.filename)
  try {
    await buildDashboard(join(SOURCE, "dist"));
  } catch (error) {
    const { code = "", message } = error as { readonly code?: string; readonly message: string };
    // `npm ci` without development dependencies, or without scripts: everything else works.
    if (process.env["npm_lifecycle_event"] !== "prepare" || !IS_MISSING.test(code)) throw error;
    console.log(`The dashboard was not built (${message}). \`npm run dashboard\` builds it.`);
  }
