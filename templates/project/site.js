// A small site to try the scraper on: a library that lends tools. `node site.js` serves it on this machine.
import { createServer } from "node:http";

const TOOLS = [
  { name: "Cordless drill", deposit: "$40.00", weight: "1.4", due: "–", uses: ["wood", "metal", "electric"] },
  { name: "Hand saw", deposit: "$8.00", weight: "0.6", due: "–", uses: ["wood"] },
  { name: "Tile cutter", deposit: "$55.00", weight: "9.5", due: "12/04/2026", uses: ["stone"] },
  { name: "Orbital sander", deposit: "$25.00", weight: "2.1", due: "–", uses: ["wood", "electric"] },
  { name: "Pipe wrench", deposit: "$12.50", weight: "1.9", due: "–", uses: ["metal", "water"] },
  { name: "Extension ladder", deposit: "$60.00", weight: "14.0", due: "11/28/2026", uses: [] },
  { name: "Spirit level", deposit: "$6.00", weight: "0.8", due: "–", uses: ["wood", "stone"] },
  {
    name: "Cement mixer",
    deposit: "$120.00",
    weight: "58.0",
    due: "12/19/2026",
    uses: ["stone", "electric"],
  },
  { name: "Angle grinder", deposit: "$35.00", weight: "2.4", due: "–", uses: ["metal", "stone", "electric"] },
  { name: "Drain auger", deposit: "N/A", weight: "3.2", due: "–", uses: ["water"] },
  { name: "Staple gun", deposit: "$9.50", weight: "1.1", due: "–", uses: ["wood"] },
  { name: "Wheelbarrow", deposit: "$30.00", weight: "13.0", due: "12/01/2026", uses: [] },
];

const page = (title, body) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title} | Willow Street Tool Library</title></head>
<body>
<header><a href="/">Willow Street Tool Library</a></header>
<main>${body}</main>
</body>
</html>
`;

const toolPage = (number, { name, deposit, weight, due, uses }) =>
  page(
    name,
    `
<h1>${name}</h1>
<table id="facts">
<tr><th>Shelf number</th><td>T-${String(number).padStart(3, "0")}</td></tr>
<tr><th>Deposit</th><td class="deposit">${deposit}</td></tr>
<tr><th>Weight (kg)</th><td class="weight">${weight}</td></tr>
<tr><th>On loan until</th><td class="due">${due}</td></tr>
</table>
<h2>Good for</h2>
<ul class="uses">${uses.map((use) => `<li>${use}</li>`).join("")}</ul>
`,
  );

const home = page(
  "Tools",
  `<h1>Tools</h1><ul>${TOOLS.map(({ name }, at) => `<li><a href="/tools/${at + 1}">${name}</a></li>`).join("")}</ul>`,
);

const server = createServer((request, response) => {
  const path = (request.url ?? "/").split("?")[0];
  const number = Number(/^\/tools\/(\d+)$/.exec(path)?.[1]);
  const tool = TOOLS[number - 1];
  const html = path === "/" ? home : tool && toolPage(number, tool);
  response.setHeader("content-type", "text/html; charset=utf-8");
  response.writeHead(html ? 200 : 404).end(html ?? page("Not found", "<h1>There is no such page.</h1>"));
});
server.listen(Number(process.env.PORT ?? 8765), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}`),
);
