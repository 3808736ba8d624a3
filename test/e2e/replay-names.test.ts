/** `aria/` selectors compare names that a script computes. They must be those that Chrome computes, because its Recorder writes them down. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessibility } from "../../src/collectors/browser/replay/accessibility.ts";
import { noBrowser } from "../browser.ts";
import { pages, replayKit } from "./replay-kit.ts";

const kit = replayKit();

const PAGE = `<!doctype html><meta charset="utf-8"><title>Names</title>
<style>.before::before { content: "Go " } .none { display: none } .invisible { visibility: hidden } .block span { display: block }</style>
<button data-at>Plain  text
  folded</button>
<button data-at aria-label="Labelled">Text</button>
<span id="first">One</span><span id="second" hidden>Two</span>
<button data-at aria-labelledby="first second missing">Text</button>
<button data-at><img alt="Picture" src="data:,"> and text</button>
<button data-at title="Titled"></button>
<button data-at title="Titled">With text</button>
<button data-at><span class="none">hidden</span>shown<i aria-hidden="true">icon</i></button>
<button data-at class="before">back</button>
<button data-at class="block"><span>one</span><span>two</span></button>
<button data-at>a<br>b</button>
<button data-at>nested <b>bold</b><i>italic</i></button>
<button data-at><svg><title>Drawn</title><circle r="1"/></svg></button>
<a data-at href="/x">Link</a>
<a data-at href="/x"><h3>Headline</h3><p>Paragraph</p></a>
<a data-at href="/x"><img src="data:," alt=""></a>
<a data-at href="/x" title="Only a title"></a>
<div data-at role="button">By role</div>
<div data-at role="button" tabindex="0"><span>Deep</span> words</div>
<input data-at type="button" value="Value">
<input data-at type="submit">
<input data-at type="reset">
<input data-at type="submit" value="Search now">
<input data-at type="image" alt="Picture button" src="data:,">
<input data-at type="image" value="ignored" title="Image title" src="data:,">
<label for="named">Owner <b>name</b></label><input data-at id="named">
<label>Wrapped <input data-at></label>
<label>Amount <input data-at value="12"> dollars</label>
<label for="both">First</label><label for="both">Second</label><input data-at id="both">
<input data-at placeholder="Placeholder">
<input data-at placeholder="Placeholder" title="Title">
<input data-at aria-label="Aria" placeholder="Placeholder">
<input data-at title="Title">
<input data-at type="search" placeholder="Find">
<input data-at type="number" aria-label="Count">
<input data-at type="date" aria-label="Day">
<label><input data-at type="checkbox"> I agree to <a href="/t">terms</a></label>
<label><input data-at type="radio" name="r"> One of them</label>
<label for="choice">Choose</label><select data-at id="choice"><option data-at>Alpha</option><option>Beta</option></select>
<select data-at aria-label="Many" multiple><option data-at>Gamma</option></select>
<textarea data-at aria-label="Notes"></textarea>
<label for="area">Remarks</label><textarea data-at id="area">Written text</textarea>
<h1 data-at>Heading <small>small</small></h1>
<h2 data-at aria-label="Other">Heading</h2>
<img data-at src="data:," alt="Alt text">
<img data-at src="data:," title="Image title">
<fieldset data-at><legend>Legend</legend><input></fieldset>
<table data-at><caption>Caption</caption>
  <tr data-at><th data-at>Head</th><td data-at>Cell <b>bold</b></td></tr>
  <tr data-at><th data-at scope="row">Row head</th><td data-at><a data-at href="/c">Cell link</a></td></tr></table>
<figure data-at><figcaption>Figure caption</figcaption></figure>
<ul data-at><li data-at>Item</li></ul>
<nav data-at aria-label="Main menu"><a data-at href="/m">Menu</a></nav>
<div data-at tabindex="1">focusable text</div>
<div data-at>plain text</div>
<p data-at>Paragraph</p>
<details><summary data-at>More about it</summary><p>Body</p></details>
<div role="tablist"><div data-at role="tab">Tab one</div></div>
<ul role="menu"><li data-at role="menuitem">Open <kbd>Ctrl O</kbd></li></ul>
<div data-at role="checkbox" aria-checked="false">Custom box</div>
<div data-at role="img" aria-label="Chart"></div>
<div data-at role="dialog" aria-label="Dialog">Text</div>
<button data-at class="invisible">Unseen</button>
<div aria-hidden="true"><button data-at>Not exposed</button></div>
<button data-at disabled>Disabled</button>
<iframe data-at title="Framed" srcdoc="x"></iframe>
<label>Size <select data-at><option>S</option><option selected>M</option></select> fits</label>
<button data-at>Pay <span aria-label="ten dollars">$10</span></button>
<button data-at><input value="inner" aria-label="Inner"> outer</button>
<output data-at>42</output>
<a data-at>No link</a>
<span data-at role="link">Span link</span>
<div data-at contenteditable>Editable text</div>
<div data-at contenteditable role="textbox" aria-label="Message">Text</div>
<button data-at>&nbsp;Non\u00a0breaking&nbsp;</button>
<button data-at>Ünïcode ✓</button>
`;

test("names and roles are those that Chrome computes, but for white space", { skip: noBrowser }, async () => {
  kit.answer = pages({ "/": PAGE });
  const page = await kit.browser.newPage();
  await page.goto(`${kit.origin}/`);
  const ours = (await page.evaluate(
    `(() => { const { nameOf, roleOf } = (${accessibility.toString()})(window);
      return [...document.querySelectorAll("[data-at]")].map((one) => ({ name: nameOf(one), role: roleOf(one), html: one.outerHTML })) })()`,
  )) as readonly { readonly name: string; readonly role: string; readonly html: string }[];
  const cdp = await page.context().newCDPSession(page);
  const { root } = await cdp.send("DOM.getDocument");
  const { nodeIds } = await cdp.send("DOM.querySelectorAll", { nodeId: root.nodeId, selector: "[data-at]" });
  assert.equal(nodeIds.length, ours.length);
  const different: string[] = [];
  for (const [at, nodeId] of nodeIds.entries()) {
    const { nodes } = await cdp.send("Accessibility.getPartialAXTree", { nodeId, fetchRelatives: false });
    const node = nodes[0]!;
    const { name, role, html } = ours[at]!;
    const theirs = {
      name: String(node.name?.value ?? "")
        .replace(/\s+/g, " ")
        .trim(),
      role: String(node.role?.value ?? ""),
    };
    const isSame = theirs.name === name && (node.ignored || theirs.role === role);
    if (!isSame)
      different.push(
        `${html}: ${role} "${name}", Chrome: ${node.ignored ? "ignored" : theirs.role} "${theirs.name}"`,
      );
  }
  await page.close();
  assert.deepEqual(different, []);
});
