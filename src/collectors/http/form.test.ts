import assert from "node:assert/strict";
import { test } from "node:test";
import type { Form, FormValues, SubmitOptions } from "../../ports/collector.ts";
import { answer, failureOf, openTestSession, openTestSite, type SiteRequest } from "./testing/test-site.ts";

/** Serves a page with a form and gives what the site is asked when it is sent. */
const submitted = async (
  html: string,
  values: FormValues = {},
  options: SubmitOptions = {},
  contentType = "text/html; charset=utf-8",
): Promise<SiteRequest & { readonly form: Form }> => {
  await using site = await openTestSite((_, response) =>
    answer(response, Buffer.from(html, contentType.includes("1252") ? "latin1" : "utf8"), {
      "content-type": contentType,
    }),
  );
  await using session = openTestSession(site.url);
  const form = (await session.http.get("/dir/page?old=1")).form();
  await session.http.submit(form, values, options);
  return { ...site.seen[1]!, form };
};

const bodyOf = async (...given: Parameters<typeof submitted>): Promise<string> =>
  (await submitted(...given)).body;

test("an ASP.NET form is sent with its hidden fields, the filled field and the pressed button", async () => {
  const request = await submitted(
    `<form method="post" action="./search.aspx?x=1" id="aspnetForm">
     <input type="hidden" name="__VIEWSTATE" value="/wEPDw+&amp;=">
     <input type="hidden" name="__EVENTTARGET" value="">
     <input name="ctl00$parcel" type="text"><input type="submit" name="ctl00$go" value="Search"></form>`,
    { ctl00$parcel: 1234567890 },
  );
  assert.equal(request.method, "POST");
  assert.equal(request.url, "/dir/search.aspx?x=1");
  assert.equal(request.headers["content-type"], "application/x-www-form-urlencoded");
  assert.equal(
    request.body,
    "__VIEWSTATE=%2FwEPDw%2B%26%3D&__EVENTTARGET=&ctl00%24parcel=1234567890&ctl00%24go=Search",
  );
  assert.match(request.headers.referer ?? "", /\/dir\/page\?old=1$/);
  assert.ok(request.headers.referer?.startsWith(request.headers.origin ?? "none"));
});

test("a GET form replaces the query, and an empty action is the page itself whatever its base", async () => {
  const request = await submitted('<base href="/elsewhere/"><form><input name="q" value="a b"></form>');
  assert.equal(request.method, "GET");
  assert.equal(request.url, "/dir/page?q=a+b");
});

test("preset values are what a browser would send", async () => {
  const body = await bodyOf(`<form method="post">
    <input name="text" value="t"><input name="none"><input value="nameless"><input name="off" value="x" disabled>
    <input type="checkbox" name="c" value="1" checked><input type="checkbox" name="c" value="2"><input type="checkbox" name="d" checked>
    <input type="radio" name="r" value="a"><input type="radio" name="r" value="b" checked>
    <select name="first"><option disabled value="0">-</option><option>one</option><option>two</option></select>
    <select name="chosen"><option value="1">one</option><option value="2" selected>two</option></select>
    <select name="many" multiple><option selected>x</option><option>y</option><option selected>z</option></select>
    <select name="empty"></select>
    <textarea name="area">\nline 1\nline 2</textarea>
    <fieldset disabled><legend><input name="inLegend" value="1"></legend><input name="inFieldset" value="1"></fieldset>
    <input type="reset" name="reset" value="r"><button type="button" name="script">s</button><input type="button" name="b" value="b">
    </form>`);
  assert.equal(
    body,
    "text=t&none=&c=1&d=on&r=b&first=one&chosen=2&many=x&many=z&area=line+1%0D%0Aline+2&inLegend=1",
  );
});

test("controls outside belong to the form they name, and those that name another do not", async () => {
  const body =
    await bodyOf(`<input name="before" value="1" form="f"><form id="f" method="post"><input name="in" value="2">
    <input name="lent" value="3" form="other"></form><select name="after" form="f"><option>4</option></select><input name="stray" value="5">`);
  assert.equal(body, "before=1&in=2&after=4");
});

test("controls belong to the form whose tags surround them in the source, wherever they are in the tree", async () => {
  const rows = `<tr><td><input name=a value=1></td></tr></form><tr><td><input name=b value=2>`;
  for (const page of [
    `<table><form method=post>${rows}</table>`,
    `<table>moved<form method=post>${rows}</table>`,
    `<form method=post><div><input name=a value=1></form></div><input name=b value=2>`,
  ])
    assert.equal(await bodyOf(page), "a=1", page);
});

test("boxes, radios and lists are filled by value, lists by label too", async () => {
  const html = `<form method="post"><input type="checkbox" name="c" value="1" checked><input type="checkbox" name="c" value="2">
    <input type="checkbox" name="agree"><input type="radio" name="r" value="a" checked><input type="radio" name="r" value="b">
    <select name="county"><option value="">Choose</option><option value="48453">Travis  County</option></select>
    <select name="m" multiple><option>x</option><option>y</option><option>z</option></select></form>`;
  const values = { c: ["2"], agree: true, r: "b", county: "Travis County", m: ["z", "x"] };
  assert.equal(await bodyOf(html, values), "c=2&agree=on&r=b&county=48453&m=x&m=z");
  assert.equal(await bodyOf(html, { c: false, county: "48453" }), "r=a&county=48453");
});

test("a hidden field after a checkbox of the same name is not changed", async () => {
  const html = `<form method="post"><input type="checkbox" name="a" value="true"><input type="hidden" name="a" value="false"></form>`;
  assert.equal(await bodyOf(html, { a: true }), "a=true&a=false");
});

test("repeated fields take a list, in order", async () => {
  const html = `<form method="post"><input name="a" value="1"><input name="a" value="2"></form>`;
  assert.equal(await bodyOf(html, { a: ["x", "y"] }), "a=x&a=y");
  assert.equal(await bodyOf(html, { a: "x" }), "a=x&a=2");
});

const BUTTONS = `<form method="post" action="/plain"><input name="q" value="1">
  <input type="submit" name="go" value="Search"><button name="act" value="del" id="del" formaction="/delete" formmethod="get"> Delete <b>it</b> </button>
  <input type="image" name="pic" alt="Print"><button name="later" disabled>Later</button></form>`;

for (const [button, url, sent] of [
  [undefined, "/plain", "q=1&go=Search"],
  ["go", "/plain", "q=1&go=Search"],
  ["del", "/delete?q=1&act=del", ""],
  ["Delete it", "/delete?q=1&act=del", ""],
  ["Print", "/plain", "q=1&pic.x=0&pic.y=0"],
  [false, "/plain", "q=1"],
] as const) {
  test(`pressing ${JSON.stringify(button) ?? "nothing in particular"} sends ${url} ${sent}`, async () => {
    const request = await submitted(BUTTONS, {}, button === undefined ? {} : { button });
    assert.deepEqual([request.url, request.body], [url, sent]);
  });
}

test("a field that the form does not have is a navigation failure that lists its fields", async () => {
  const html = `<form><input name="parcel"><select name="county"><option value="1">Bexar</option></select>
    <input type="radio" name="r" value="a"><input type="file" name="doc"><input type="submit" value="Go"></form>`;
  const cases: [FormValues, SubmitOptions, RegExp][] = [
    [{ parcle: "1" }, {}, /"parcel", "county", "r", "doc"/],
    [{ county: "Travis" }, {}, /1 \(Bexar\)/],
    [{ county: ["1", "1"] }, {}, /one/],
    [{ r: "z" }, {}, /"a"/],
    [{ parcel: true }, {}, /text/],
    [{ parcel: ["1", "2"] }, {}, /1 times/],
    [{ doc: "x" }, {}, /file/],
    [{}, { button: "Stop" }, /"Go"/],
  ];
  for (const [values, options, said] of cases) {
    const failure = await failureOf(() => submitted(html, values, options));
    assert.equal(failure.kind, "navigation");
    assert.match(failure.detail, said);
  }
});

test("a multipart form carries texts and files", async () => {
  const request = await submitted(
    `<form method="post" enctype="multipart/form-data"><input name='a"b' value="é"><input type="file" name="doc"><input type="file" name="none"></form>`,
    { doc: { filename: "b.pdf", mediaType: "application/pdf", bytes: Buffer.from([0, 255, 13, 10]) } },
  );
  const type = request.headers["content-type"] ?? "";
  const parsed = await new Response(Buffer.from(request.body, "latin1"), {
    headers: { "content-type": type },
  }).formData();
  assert.equal(parsed.get('a"b'), "é");
  const file = parsed.get("doc");
  assert.ok(file instanceof File);
  assert.equal(file.name, "b.pdf");
  assert.equal(file.type, "application/pdf");
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), Buffer.from([0, 255, 13, 10]));
  assert.match(
    request.body,
    /name="none"; filename=""\r\nContent-Type: application\/octet-stream\r\n\r\n\r\n/,
  );
});

test("a text/plain form is lines of names and values", async () => {
  const request = await submitted(
    '<form method="post" enctype="text/plain"><input name="a" value="1 2"><input name="b" value="="></form>',
  );
  assert.equal(request.headers["content-type"], "text/plain");
  assert.equal(request.body, "a=1 2\r\nb==\r\n");
});

test("a form on a windows-1252 page is sent in that charset", async () => {
  const html = '<form method="post"><input name="q"></form>';
  assert.equal(
    await bodyOf(html, { q: "é €Ω" }, {}, "text/html; charset=windows-1252"),
    "q=%E9+%80%26%23937%3B",
  );
  assert.equal(await bodyOf(html, { q: "é" }), "q=%C3%A9");
});

test("the values of a form are those that are sent without changes", async () => {
  const { form, body } = await submitted(BUTTONS);
  assert.equal(
    new URLSearchParams(form.values.map(([name, value]): [string, string] => [name, value])).toString(),
    body,
  );
});

test("a form that only a script can send is a navigation failure", async () => {
  assert.equal(
    (await failureOf(() => submitted('<form action="javascript:go()"></form>'))).kind,
    "navigation",
  );
});

test("a password is sent, and never archived", async () => {
  const html = '<form method="post"><input name="user"><input type="password" name="pin"></form>';
  await using site = await openTestSite((_, response) => answer(response, html));
  await using session = openTestSession(site.url);
  const page = await session.http.get("/");
  await session.http.submit(page.form(), { user: "ann", pin: "0451" });
  assert.equal(site.seen.at(-1)?.body, "user=ann&pin=0451");
  const kept = Buffer.from(session.archived.at(-1)!.requestBody!).toString();
  assert.equal(kept, "user=ann&pin=%5Bredacted%5D");
});
