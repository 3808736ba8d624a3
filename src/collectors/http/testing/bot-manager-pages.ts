import type { Headers } from "../wire.ts";

type Kind = "blocked" | "captcha" | "rate-limited";

export interface BlockPage {
  readonly status: number;
  readonly kind: Kind;
  readonly html: string;
  readonly headers?: Headers;
  readonly mediaType?: string;
}

export const page = (title: string, body: string, head = ""): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;

/** Of the large bot managers, written from public descriptions: no page of a real site is among them. */
export const BOT_MANAGER_PAGES: Readonly<Record<string, BlockPage>> = {
  "Cloudflare: managed challenge": {
    status: 403,
    kind: "blocked",
    html: page(
      "Just a moment...",
      `<div class="main-wrapper" role="main"><noscript><div class="h2">Enable JavaScript and cookies to continue</div></noscript></div>
       <script>(function(){window._cf_chl_opt = {cvId: '3', cZone: 'shop.example', cType: 'managed', cRay: '8f00aa'};
       var a = document.createElement('script'); a.src = '/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=8f00aa';}());</script>`,
    ),
  },
  "Cloudflare: translated challenge without its title": {
    status: 503,
    kind: "blocked",
    html: page(
      "Nur einen Moment …",
      `<form id="challenge-form" action="/?__cf_chl_f_tk=x-1"><input type="hidden" name="md" value="1"></form>`,
    ),
  },
  "Cloudflare: the old calculation": {
    status: 503,
    kind: "blocked",
    html: page(
      "Please wait",
      `<form action="/cdn-cgi/l/chk_jschl"><input type="hidden" name="jschl_vc" value="1"></form>`,
    ),
  },
  "Cloudflare: error 1020": {
    status: 403,
    kind: "blocked",
    html: page(
      "Access denied | shop.example used Cloudflare to restrict access",
      `<h1>Error <span>1020</span></h1><p>You cannot access shop.example.</p>`,
    ),
  },
  "Cloudflare: error 1015": {
    status: 429,
    kind: "rate-limited",
    html: page(
      "Access denied | shop.example used Cloudflare to restrict access",
      `<h1>Error 1015</h1><h2>You are being rate limited</h2>`,
    ),
  },
  "Akamai: interstitial": {
    status: 200,
    kind: "blocked",
    html: `<html><head><meta http-equiv="refresh" content="5; URL='/homes?bm-verify=AAQAAAAJ'" /></head><body>
      <script>var i = 1700000000; var j = i + Number("3" + "7"); var xhr = new XMLHttpRequest();
      xhr.open("POST", "/_sec/verify?provider=interstitial", false); xhr.send(JSON.stringify({"bm-verify": "AAQAAAAJ", "pow": j}));
      location.reload();</script></body></html>`,
  },
  "Akamai: nothing but a sensor and a reload": {
    status: 200,
    kind: "blocked",
    headers: [
      ["Set-Cookie", "bm_sz=A1; Path=/"],
      ["Set-Cookie", "_abck=B2~-1~; Path=/"],
    ],
    html: `<html><head><meta http-equiv="refresh" content="1"></head><body><script src="/Xa9/bc/dE"></script></body></html>`,
  },
  "Akamai: a script that waits for its cookie": {
    status: 200,
    kind: "blocked",
    html: `<html><head></head><body><script>setTimeout(function () { if (document.cookie.indexOf("_abck") >= 0) location.reload(); }, 500);</script></body></html>`,
  },
  "Akamai: access denied": {
    status: 403,
    kind: "blocked",
    html: `<HTML><HEAD>\n<TITLE>Access Denied</TITLE>\n</HEAD><BODY>\n<H1>Access Denied</H1>\nYou don't have permission to access "http&#58;&#47;&#47;shop.example&#47;" on this server.<P>
      Reference&#32;&#35;18&#46;7d2d1402&#46;1700000000&#46;1a2b3c\n<P>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;7d2d\n</P></BODY></HTML>`,
  },
  "Akamai: access denied, with 200 and another title": {
    status: 200,
    kind: "blocked",
    html: page(
      "Error",
      `<p>You don't have permission to access "/" on this server.</p><p>Reference #18.9f2d1402.1700000000.9a8b7c</p>`,
    ),
  },
  "Akamai: proof of work": {
    status: 428,
    kind: "blocked",
    html: page(
      "Challenge Validation",
      `<div id="sec-if-cpt-container"></div><iframe src="/_sec/cp_challenge/crypto_message-4-3.htm" data-duration="5"></iframe>`,
    ),
  },
  "Akamai: proof of work, as JSON": {
    status: 428,
    kind: "blocked",
    mediaType: "application/json",
    html: `{"sec-cp-challenge":"true","provider":"crypto","chlg_duration":5}`,
  },
  "Kasada: 429 by its headers": { status: 429, kind: "blocked", headers: [["x-kpsdk-ct", "0xyz"]], html: "" },
  "Kasada: 429 with its script": {
    status: 429,
    kind: "blocked",
    html: `<!DOCTYPE html><html><head></head><body><script>window.KPSDK={};KPSDK.now=function(){return Date.now()};KPSDK.start=KPSDK.now();</script>
      <script src="/149e9513-01fa/2d206a39-8ed7/ips.js?ak_bmsc_ke=1&x-kpsdk-im=AA"></script></body></html>`,
  },
  "Kasada: script with 200": {
    status: 200,
    kind: "blocked",
    html: `<html><body><script src="/c9a/ips.js?KP_UIDz=0abc"></script><script>window.KPSDK.start()</script></body></html>`,
  },
  "DataDome: captcha": {
    status: 403,
    kind: "captcha",
    html: `<html lang="en"><head><title>shop.example</title></head><body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p>
      <script data-cfasync="false">var dd={'rt':'c','cid':'AHrlq','hsh':'A55','t':'fe','s':17434,'host':'geo.captcha-delivery.com'}</script>
      <script src="https://ct.captcha-delivery.com/c.js"></script></body></html>`,
  },
  "DataDome: device check, with 200": {
    status: 200,
    kind: "blocked",
    html: `<html><head><title>shop.example</title></head><body><script>var dd={"rt":"i","cid":"AHrlq","hsh":"A55"}</script><script src="https://ct.captcha-delivery.com/i.js"></script></body></html>`,
  },
  "DataDome: as JSON": {
    status: 403,
    kind: "captcha",
    mediaType: "application/json",
    html: `{"url":"https://geo.captcha-delivery.com/captcha/?initialCid=AHrlq&hash=A55"}`,
  },
  "Distil: on the way to its captcha": {
    status: 200,
    kind: "captcha",
    html: `<!DOCTYPE html><html><head><META NAME="robots" CONTENT="noindex,nofollow"><meta http-equiv="refresh" content="10; url=/distil_r_captcha.html?requestId=1a&httpReferrer=%2F" />
      <script src="/ga.1234.js" defer></script><style>#d__fFH{position:absolute;top:-5000px}</style></head><body><div id="distilIdentificationBlock">&nbsp;</div></body></html>`,
  },
  "Distil: blocked": {
    status: 416,
    kind: "blocked",
    html: page(
      "Pardon Our Interruption",
      `<h1>Pardon Our Interruption...</h1><p>As you were browsing something about your browser made us think you were a bot.</p><a href="/distil_r_blocked.html">More</a>`,
    ),
  },
  "Imperva: interruption": {
    status: 200,
    kind: "blocked",
    html: page(
      "Pardon Our Interruption",
      `<div class="container"><h1>Pardon Our Interruption...</h1><p>As you were browsing something about your browser made us think you might be a bot.</p><ul><li>You're a power user.</li><li>You've disabled cookies.</li></ul></div>`,
    ),
  },
  "Imperva: its title in noscript": {
    status: 200,
    kind: "blocked",
    html: `<html><head><noscript><title>Pardon Our Interruption</title></noscript></head><body><h1>Pardon Our Interruption</h1><p>${"There are a few reasons this might happen. ".repeat(20)}</p></body></html>`,
  },
  "Imperva: translated": {
    status: 200,
    kind: "blocked",
    html: page("認証中", `<p>お待ちください</p><script>window.reeseSkipExpirationCheck = true;</script>`),
  },
  "Kasada: nothing but its clock": {
    status: 200,
    kind: "blocked",
    html: `<html><body><script>window.KPSDK={};KPSDK.now=Date.now.bind(Date);KPSDK.start=KPSDK.now();</script></body></html>`,
  },
  "Imperva: loading": {
    status: 200,
    kind: "blocked",
    html: page(
      "",
      `<div id="interstitial">Loading</div><script>function onProtectionInitialized(p){p.token(10000).then(reload)} var reeseRetriedAutoload = false;</script><script src="/Abc-def?d=shop.example" async></script>`,
    ),
  },
  "Incapsula: incident frame": {
    status: 200,
    kind: "blocked",
    html: `<html><head><META NAME="robots" CONTENT="noindex,nofollow"></head><body><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1-2&incident_id=123-456&edet=12">Request unsuccessful. Incapsula incident ID: 123-456</iframe></body></html>`,
  },
  "Incapsula: bare": {
    status: 403,
    kind: "blocked",
    html: `<html><body>Request unsuccessful. Incapsula incident ID: 443000270-149</body></html>`,
  },
  "HUMAN: press and hold": {
    status: 403,
    kind: "captcha",
    html: page(
      "Access to this page has been denied.",
      `<div class="px-captcha-container"><div id="px-captcha"></div></div><script>window._pxAppId='PXabc';window._pxUuid='1';</script><script src="/abc/captcha/captcha.js?a=c&u=1&v=&m=0"></script>`,
    ),
  },
  "HUMAN: in words, with 200": {
    status: 200,
    kind: "captcha",
    html: page(
      "Robot or human?",
      `<h1>Robot or human?</h1><p>Activate and hold the button to confirm that you're human.</p><p>Press &amp; hold to confirm you are a human (and not a bot).</p><div id="px-captcha"></div>`,
    ),
  },
  "HUMAN: as JSON": {
    status: 403,
    kind: "captcha",
    mediaType: "application/json",
    html: `{"appId":"PXabc","jsClientSrc":"/abc/init.js","firstPartyEnabled":true,"vid":"","uuid":"1","hostUrl":"/abc/xhr","blockScript":"/abc/captcha/captcha.js"}`,
  },
};
