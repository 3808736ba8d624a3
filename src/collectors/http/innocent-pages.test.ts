import assert from "node:assert/strict";
import { test } from "node:test";
import { detectBlock } from "./detect-block.ts";
import { page } from "./testing/bot-manager-pages.ts";
import type { Headers } from "./wire.ts";

const ABOUT = "<h1>Parcel 12</h1><p>Owner: Smith. Assessed value: $120,000.</p>";
const LINKS = `<nav>${'<a href="/x">Department of roads</a> '.repeat(8)}</nav>`;
const SHELL = `<div id="root"></div><script src="/static/js/main.1a2b.js"></script>`;

/** Good pages that a hasty reader takes for a block page. */
const INNOCENT: Readonly<Record<string, string>> = {
  // A captcha that is only a part of the page.
  "a captcha in a hidden dialog": page(
    "Parcel 12",
    `${ABOUT}<div style="display:none"><h2>Verify you are human</h2><div class="g-recaptcha"></div></div>`,
  ),
  "a captcha in a dialog element": page(
    "Parcel 12",
    `${ABOUT}<dialog id="d"><p>Are you a robot?</p><div class="h-captcha"></div></dialog>`,
  ),
  "a captcha in a modal that a style sheet hides": page(
    "Parcel 12",
    `${ABOUT}<div class="modal fade" role="dialog"><p>Please complete the security check</p><div class="cf-turnstile"></div></div>`,
  ),
  "a captcha in a pop-up": page(
    "Parcel 12",
    `${ABOUT}<div class="contact-popup"><p>Prove you are not a robot</p><div class="g-recaptcha"></div></div>`,
  ),
  "a captcha in a template": page(
    "Parcel 12",
    `${ABOUT}<template><p>Verify that you are human</p><div class="h-captcha"></div></template>`,
  ),
  "a captcha behind a class that the page hides": page(
    "Parcel 12",
    `${ABOUT}<div class="ask"><p>Prove you are human</p><img src="/captcha.png"></div>`,
    "<style>.ask{display:none}</style>",
  ),
  "a contact form": page(
    "Contact",
    `<p>Please verify that you are human.</p><form><input name="name"><textarea name="message"></textarea><div class="g-recaptcha"></div></form>`,
  ),
  "a login form": page(
    "Sign in",
    `<form><input name="user"><input type="password" name="p"><div class="cf-turnstile"></div><p>Prove you are not a robot</p></form>`,
  ),
  "a search form with a captcha": page(
    "Records search",
    `<h1>Search records</h1><form><select name="county"><option>Polk</option></select><div class="h-captcha"></div><p>Complete the captcha to search.</p></form>`,
  ),
  "a newsletter with the captcha's script": page(
    "News",
    `${LINKS}${ABOUT}<form><input type="email" name="e"></form><script src="https://www.google.com/recaptcha/api.js"></script>`,
  ),
  "an invisible captcha on a small page": page(
    "Bill",
    `${ABOUT}<p>This site is protected by reCAPTCHA and the Google Privacy Policy applies.</p><script src="https://www.google.com/recaptcha/api.js?render=x"></script>`,
  ),
  // Pages that speak about it.
  "a page that mentions a captcha": page(
    "Help",
    `<h1>Help</h1><p>If you see a CAPTCHA, type the characters that it shows. We use it to make sure that you are not a robot.</p>`,
  ),
  "a short answer about being blocked": page(
    "FAQ",
    `<h1>FAQ</h1><p>If your IP address has been blocked, call us. When you have been blocked by mistake, we unblock you.</p>`,
  ),
  "an article about Cloudflare's page": page(
    "What does “Just a moment...” mean?",
    `<p>Cloudflare shows “Just a moment...” while it checks your browser. The page holds <code>window._cf_chl_opt</code> and <code>jschl_answer</code>.</p>`,
  ),
  "an article with the source of a challenge": page(
    "How bm-verify works",
    `<pre>&lt;meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQ'"&gt; _abck /_sec/verify?provider=interstitial KPSDK /ips.js gokuProps distil_r_captcha.html</pre><p>Explained.</p>`,
  ),
  "an article in its page's data": page(
    "Blog",
    `<h1>How challenges work</h1><script type="application/ld+json">{"articleBody": "window._cf_chl_opt, bm-verify, gokuProps"}</script>
     <script id="__NEXT_DATA__" type="application/json">{"text": "jschl_answer and px-captcha"}</script>`,
  ),
  "a list of WAF marks": page(
    "WAF marks",
    `<ul><li>px-captcha</li><li>sucuri_cloudproxy_js</li><li>_Incapsula_Resource?incident_id=1</li><li>captcha-delivery.com/captcha</li><li>anubis_challenge</li></ul>`,
  ),
  "a manual on status codes": page(
    "429 Too Many Requests",
    `${LINKS}<h1>429 Too Many Requests</h1><p>${"The server asks the client to slow down. ".repeat(20)}</p>`,
  ),
  "a film called Forbidden": page(
    "Forbidden",
    `${LINKS}<p>${"A drama of 1932 with Barbara Stanwyck. ".repeat(20)}</p>`,
  ),
  "a case called Access Denied": page(
    "Access Denied",
    `<h1>Access Denied</h1><p>${"A novel about a court clerk who finds a door. ".repeat(15)}</p><p>Buy it for $9.</p>`,
  ),
  "a link that was copied out of a challenge": page(
    "Parts",
    `<p>We use <a href="https://chips.example/part?id=7&bm-verify=AAQAAAAJ">this part</a> and <a href="/x?__cf_chl_tk=1">that</a>.</p>`,
  ),
  "a link to go-away": page(
    "Links",
    `<a href="https://git.gammaspectra.live/git/go-away">go-away</a><a href="https://anubis.techaro.lol">Anubis</a>`,
  ),
  "a notice of maintenance": page(
    "Parcel 12",
    `${ABOUT}<p>The site will be under maintenance on Sunday.</p>`,
  ),
  "a record that says blocked": page(
    "Permit 4",
    `<p>Driveway blocked by permit 4. Request rejected on appeal. Access denied to lot B.</p>`,
  ),
  // What vendors put into good pages.
  "Cloudflare's invisible script": page(
    "Parcel 12",
    `${ABOUT}<script>(function(){window.__CF$cv$params={r:'8f',t:'MTc='};var a=document.createElement('script');a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';})();</script>`,
  ),
  "Cloudflare's e-mail script and beacon": page(
    "Parcel 12",
    `${ABOUT}<script src="/cdn-cgi/scripts/5c5dd728/cloudflare-static/email-decode.min.js"></script><script src="https://static.cloudflareinsights.com/beacon.min.js"></script>`,
  ),
  "Akamai's sensor on a shell": page(
    "Shop",
    `${SHELL}<script src="/akam/13/5f2a"></script><script>if (document.cookie.indexOf("_abck") < 0) { window.bmak = {}; }</script><noscript><img src="https://shop.example/akam/13/pixel_5f2a?a=1"></noscript>`,
  ),
  "Akamai's sensor on a shell that may reload": page(
    "Shop",
    `${SHELL}<script>window.onerror = function (e) { if (/ChunkLoadError/.test(e)) location.reload(); };</script>`,
  ),
  "Akamai's sensor on a page that refreshes": page(
    "Scores",
    `<h1>Scores</h1><table>${"<tr><td>3</td><td>1</td></tr>".repeat(10)}</table>`,
    `<meta http-equiv="refresh" content="60"><script>var k = "_abck";</script>`,
  ),
  "DataDome's tag": page(
    "Parcel 12",
    `${ABOUT}<script>!function(a,b){window.ddjskey='1A2B';window.ddoptions={ajaxListenerPath:true}}()</script><script src="https://js.datadome.co/tags.js" async></script>`,
  ),
  "DataDome's tag on a shell": page(
    "Shop",
    `${SHELL}<script src="https://ct.shop.example/tags.js"></script><script>window.ddjskey='1A2B'</script>`,
  ),
  "HUMAN's sensor on a shell": page(
    "Shop",
    `${SHELL}<script>window._pxAppId='PXabc';window._pxUuid='';</script><script src="https://client.px-cloud.net/PXabc/main.min.js"></script>`,
  ),
  "Incapsula's script": page(
    "Parcel 12",
    `${ABOUT}<script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3&ns=2&cb=1"></script>`,
  ),
  "Imperva's sensor on a shell": page(
    "Shop",
    `${SHELL}<script>var reeseSkipExpirationCheck = true;</script><script src="/Abc-def?s=xyz" async></script>`,
  ),
  "Distil's identification on a page": page(
    "Parcel 12",
    `${ABOUT}<div id="distilIdentificationBlock">&nbsp;</div><script src="/dstl-1a2b.js"></script>`,
  ),
  "Kasada's script on a page": page(
    "Shop",
    `${SHELL}<script src="/149e9513/2d206a39/p.js"></script><script>window.KPSDK.configure([{domain: "shop.example"}])</script>`,
  ),
  "AWS WAF's integration on a shell": page(
    "Shop",
    `${SHELL}<script src="https://1a.edge.sdk.awswaf.com/1a/2b/challenge.compact.js" defer></script><script>AwsWafIntegration.fetch("/api").then(r => { if (r.status === 405) AwsWafCaptcha.renderCaptcha(box) })</script>`,
  ),
  "F5's script on a page": page(
    "Parcel 12",
    `${ABOUT}<APM_DO_NOT_TOUCH><script>window["bobcmn"] = "1011";</script><script src="/TSPD/08ab?type=9"></script></APM_DO_NOT_TOUCH>`,
  ),
  "Radware's sensor": page(
    "Parcel 12",
    `${ABOUT}<script>window.ssConf && ssConf("cu", "validate.example")</script><script src="https://cdn.perfdrive.com/aperture/aperture.js"></script>`,
  ),
  "Sucuri's cache comment": page("Parcel 12", `${ABOUT}<!-- Cached by Sucuri -->`),
  "a shell that needs scripts": page(
    "App",
    `<noscript>You need to enable JavaScript to run this app. Please verify that you are using a modern browser.</noscript>${SHELL}`,
  ),
  "a page hidden until a script has run": `<html><head><title>Bank</title><style id="antiClickjack">body{display:none !important}</style></head><body style="visibility:hidden">${ABOUT}</body></html>`,
  "a page that sends on": `<html><head><title>Moved</title><meta http-equiv="refresh" content="0; url=/new"></head><body><a href="/new">Go on</a></body></html>`,
  "an empty body": `<html><head><title></title></head><body></body></html>`,
};

/** Cookies and headers of good answers. */
const HEADERS: Headers = [
  ["Set-Cookie", "_abck=1~0~; Path=/"],
  ["Set-Cookie", "datadome=1; Path=/"],
  ["Set-Cookie", "__cf_bm=1; Path=/"],
  ["Set-Cookie", "incap_ses_1=1; Path=/"],
  ["x-datadome", "protected"],
  ["x-kpsdk-ct", "1"],
  ["x-iinfo", "1-2-3"],
  ["x-cdn", "Imperva"],
  ["server", "cloudflare"],
  ["cf-ray", "8f00"],
];

const blockOf = (html: string | Buffer, status: number, headers: Headers) => {
  const header = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  return detectBlock({
    head: { status, statusText: "", headers, header },
    mediaType: "text/html",
    body: Buffer.from(html),
  });
};

for (const [what, html] of Object.entries(INNOCENT)) {
  test(`${what} is a page`, () => {
    assert.equal(blockOf(html, 200, []), undefined);
    const sends = /<meta http-equiv="refresh"/.test(html) && !/<table>/.test(html);
    if (!sends)
      assert.equal(blockOf(html, 200, HEADERS), undefined, "with the cookies and headers of bot managers");
    const longer = html.replace(
      /(<body[^>]*>)/,
      `$1<p>${"All about the county and its parcels. ".repeat(100)}</p>`,
    );
    assert.equal(blockOf(longer, 200, HEADERS), undefined, "with more to read");
  });
}

test("a site's own page for missing content is not a block page either", () => {
  for (const what of Object.keys(INNOCENT).filter((name) => /shell|script|sensor|tag|dialog|form/.test(name)))
    assert.equal(blockOf(INNOCENT[what]!, 404, []), undefined, what);
});

test("pages made to be slow to check are still checked quickly", { timeout: 60_000 }, () => {
  const tags = [
    "<",
    "<head ",
    "<title ",
    "<script>",
    "<!--",
    "<img ",
    "<input ",
    "</",
    "<svg>",
    "<p class=x>",
  ];
  const hidden = [
    "<div hidden>",
    "<p hidden>",
    "<dialog>",
    "<a b='\">",
    "<style>.a{display:none}",
    "<style>.a{}</style>",
  ];
  const marks = [
    "_Incapsula_Resource?",
    "_cf_chl_opt ",
    "gokuProps KPSDK ",
    "cf_chl<x ",
    "px-cloud.net/",
    "&#32;",
  ];
  for (const part of [...tags, ...hidden, ...marks])
    for (const status of [200, 403])
      blockOf(`captcha not a robot ${part.repeat((1024 * 1024) / part.length)}`, status, []);
});
