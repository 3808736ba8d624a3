import { type BlockPage, page } from "./bot-manager-pages.ts";

/** Of firewalls, hosts and smaller services, written from public descriptions: no page of a real site is among them. */
export const FIREWALL_PAGES: Readonly<Record<string, BlockPage>> = {
  "Sucuri: challenge": {
    status: 200,
    kind: "blocked",
    html: `<html><title>You are being redirected...</title><noscript>Javascript is required.</noscript><script>var s={},sucuri_cloudproxy_js='',S='ZG9jdW1lbnQ=';eval(S)</script></html>`,
  },
  "Sucuri: firewall": {
    status: 403,
    kind: "blocked",
    html: page(
      "Sucuri WebSite Firewall - Access Denied",
      `<h1>Access Denied - Sucuri Website Firewall</h1><p>Block reason: bad bot</p>`,
    ),
  },
  "AWS WAF: challenge": {
    status: 202,
    kind: "blocked",
    html: page(
      "",
      `<div id="challenge-container"></div><script>AwsWafIntegration.saveReferrer(); AwsWafIntegration.getToken().then(() => window.location.reload(true));</script>`,
      `<script>window.awsWafCookieDomainList = []; window.gokuProps = {"key":"AQ==","iv":"C"};</script><script src="https://1a.2b.eu-west-1.token.awswaf.com/1a/2b/challenge.js"></script>`,
    ),
  },
  "AWS WAF: captcha": {
    status: 405,
    kind: "captcha",
    html: page(
      "Human Verification",
      `<div id="captcha-container"></div><script>AwsWafCaptcha.renderCaptcha(container)</script>`,
      `<script>window.gokuProps = {"key":"AQ=="};</script>`,
    ),
  },
  "AWS WAF: by its header": {
    status: 202,
    kind: "blocked",
    headers: [["x-amzn-waf-action", "challenge"]],
    html: "",
  },
  "CloudFront: request blocked": {
    status: 200,
    kind: "blocked",
    html: page(
      "ERROR: The request could not be satisfied",
      `<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><hr>Request blocked. We can't connect to the server for this app or website at this time.`,
    ),
  },
  "F5: rejected": {
    status: 200,
    kind: "blocked",
    html: `<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 4711</body></html>`,
  },
  "F5: script challenge": {
    status: 200,
    kind: "blocked",
    html: `<html><head><script>window["bobcmn"] = "10111"; window["failureConfig"] = "x";</script><script src="/TSPD/08ab?type=7"></script><noscript>Please enable JavaScript to view the page content.<br/>Your support ID is: 4711.</noscript></head><body></body></html>`,
  },
  "Shape: resubmits the form": {
    status: 200,
    kind: "blocked",
    html: `<html><head><script>function r(){document.forms[0].elements[0].value="istlWasHere";document.forms[0].submit()}</script></head><body onload="r()"><form method="post"><input type="hidden" name="a"></form></body></html>`,
  },
  "Radware: captcha": {
    status: 200,
    kind: "captcha",
    html: page(
      "Radware Captcha Page",
      `<h1>We apologize for the inconvenience...</h1><p>To ensure we keep this website safe, please confirm you are human.</p><div class="h-captcha"></div><form action="https://validate.perfdrive.com/captcha"></form>`,
    ),
  },
  "Radware: blocked": {
    status: 403,
    kind: "blocked",
    html: page("Error", `<h1>Unauthorized Request Blocked</h1><p>Security case number: 1700000000</p>`),
  },
  "Anubis: challenge": {
    status: 200,
    kind: "blocked",
    html: page(
      "Making sure you&#39;re not a bot!",
      `<h1 id="title">Making sure you&#39;re not a bot!</h1><p id="status">Loading...</p><details><summary>Why am I seeing this?</summary><p>${"The administrator has set this up against crawlers. ".repeat(20)}</p></details>`,
    ),
  },
  "Anubis: translated": {
    status: 200,
    kind: "blocked",
    html: page(
      "Es wird sichergestellt, dass Sie kein Bot sind",
      `<p>Lädt...</p><script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script><script type="module" src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>`,
    ),
  },
  "go-away: refresh": {
    status: 403,
    kind: "blocked",
    html: page(
      "Checking you are not a bot",
      `<h1>Checking you are not a bot</h1><p>Loading challenge <em>meta-refresh</em>...</p>`,
      `<meta http-equiv="refresh" content="0; url=/.well-known/.git.gammaspectra.live/git/go-away/cmd/go-away/challenge/meta-refresh/verify-challenge?__goaway_id=34">`,
    ),
  },
  "go-away: with 500 and another title": {
    status: 500,
    kind: "blocked",
    html: page(
      "Bitte warten",
      `<p id="status">Loading challenge <em>js-pow-sha256</em>...</p><script>const redirect = "/?__goaway_challenge=js-pow-sha256&__goaway_token=01";</script>`,
    ),
  },
  "Vercel: checkpoint": {
    status: 429,
    kind: "blocked",
    headers: [["x-vercel-mitigated", "challenge"]],
    html: page("Vercel Security Checkpoint", `<p>We're verifying your browser</p>`),
  },
  "Vercel: checkpoint without its header": {
    status: 403,
    kind: "blocked",
    html: page(
      "Checkpoint",
      `<p id="header-text">We're verifying your browser</p><script src="/.well-known/vercel/security/static/challenge.v2.min.js"></script>`,
    ),
  },
  "Fastly: client challenge": {
    status: 200,
    kind: "blocked",
    html: page(
      "Client Challenge",
      `<noscript><div>JavaScript is disabled in your browser. Please enable JavaScript to proceed.</div></noscript><div id="loading-error" hidden>A required part of this site couldn't load.</div>`,
      `<script src="/_fs-ch-1T1wms/script.js"></script>`,
    ),
  },
  "Fastly: translated": {
    status: 429,
    kind: "blocked",
    html: page("Überprüfung", `<script src="/_fs-ch-9ab/script.js?reload=true" onerror="x()"></script>`),
  },
  "Reblaze: challenge": {
    status: 247,
    kind: "blocked",
    html: `<html><head><meta charset="utf-8"><script>window.rbzns = {bereshit: "1", seed: "Gx", storage: "3"};winsocks();</script></head><body></body></html>`,
  },
  "Reblaze: with 503": {
    status: 503,
    kind: "blocked",
    html: `<html><script>var rbzns={seed:"1"}</script></html>`,
  },
  "StackPath: browser validation": {
    status: 200,
    kind: "blocked",
    html: `<html><title></title><script>document.cookie="sbtsck=javq"; function genPid(){return 1}</script><script src="/sbbi/?sbbpg=sbbShell&gprid=xy"></script><body></body></html>`,
  },
  "StackPath: blocked": {
    status: 200,
    kind: "blocked",
    html: page("StackPath", `<h1>Sorry, you have been blocked</h1><p>Reference ID: 1a2b</p>`),
  },
  "DDoS-Guard: check": {
    status: 403,
    kind: "blocked",
    html: page(
      "DDoS-Guard",
      `<h1>Checking your browser before accessing forum.example</h1><script src="/.well-known/ddos-guard/js-challenge/index.js"></script>`,
    ),
  },
  "DDoS-Guard: with 200": {
    status: 200,
    kind: "blocked",
    html: page(
      "forum.example",
      `<p>Bitte warten.</p><script src="https://check.ddos-guard.net/check.js"></script>`,
    ),
  },
  "SiteGround: captcha": {
    status: 202,
    kind: "captcha",
    html: `<html><head><link rel="icon" href="data:;"><meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc:1"></head></html>`,
  },
  "SiteGround: by its header": {
    status: 202,
    kind: "captcha",
    headers: [["SG-Captcha", "challenge"]],
    html: "",
  },
  "Imunify360: splash": {
    status: 200,
    kind: "blocked",
    html: page(
      "One moment, please...",
      `<h1>Please wait while your request is being verified...</h1><form id="wsidchk-form" style="display:none;" action="/z0f76a1d14fd21a8fb5fd0d03e0fdc3d3cedae52f" method="GET"><input type="hidden" id="wsidchk" name="wsidchk"></form>`,
    ),
  },
  "Imunify360: its script": {
    status: 409,
    kind: "blocked",
    html: page("", `<script>document.cookie = "wsidchk=1; path=/"; location.reload();</script>`),
  },
  "Qrator: check": {
    status: 401,
    kind: "blocked",
    html: `<html><body><script src="/__qrator/qauth_utm_v2d_v9118.js"></script></body></html>`,
  },
  "Qrator: with 200": {
    status: 200,
    kind: "blocked",
    html: `<html><body><noscript>Please enable JavaScript</noscript><script src="/__qrator/qauth.js"></script></body></html>`,
  },
  "Alibaba: calculation": {
    status: 200,
    kind: "blocked",
    html: `<html><script>var arg1='3D1A';function setCookie(n,v){document.cookie=n+"="+v}function reload(x){setCookie("acw_sc__v2",x);document.location.reload();}</script></html>`,
  },
  "Alibaba: punish": {
    status: 200,
    kind: "captcha",
    html: page(
      "Captcha Interception",
      `<script>location.replace("/_____tmd_____/punish?x5secdata=xc1")</script>`,
    ),
  },
  "Google: unusual traffic": {
    status: 429,
    kind: "captcha",
    html: page(
      "https://www.google.com/search",
      `<form id="captcha-form" action="index" method="post"><div id="recaptcha" class="g-recaptcha" data-sitekey="6L"></div></form><p>Our systems have detected unusual traffic from your computer network.</p>`,
    ),
  },
  "Amazon: picture": {
    status: 200,
    kind: "captcha",
    html: page(
      "shop.example",
      `<h4>Enter the characters you see below</h4><p>Sorry, we just need to make sure you're not a robot.</p><form action="/errors/validateCaptcha"><img src="/captcha/a.jpg"><input type="text" name="field-keywords"></form>`,
    ),
  },
  "Yandex: checkbox": {
    status: 200,
    kind: "captcha",
    html: page(
      "Вы не робот?",
      `<form class="CheckboxCaptcha-Form" action="/checkcaptcha?key=1a"><input type="submit"></form>`,
    ),
  },
  "Turnstile: an interstitial of the site's own": {
    status: 200,
    kind: "captcha",
    html: page(
      "Security check",
      `<h1>Verify you are human</h1><form method="post"><div class="cf-turnstile" data-sitekey="0x4"></div><button>Continue</button></form><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>`,
    ),
  },
  "hCaptcha: an interstitial of the site's own": {
    status: 200,
    kind: "captcha",
    html: page(
      "Hold on",
      `<p>Please complete the security check to continue.</p><form><div class="h-captcha" data-sitekey="1"></div></form>`,
    ),
  },
  "Wordfence: blocked": {
    status: 503,
    kind: "blocked",
    html: page(
      "Your access to this site has been limited",
      `<p>Your access to this service has been limited. (HTTP response code 503)</p><p>Generated by Wordfence at Mon, 1 Jan 2026 0:00:00 GMT.</p>`,
    ),
  },
  "LiteSpeed: verification": {
    status: 200,
    kind: "captcha",
    html: page(
      "Bot Verification",
      `<p>Verifying that you are not a robot...</p><form action="/.lsrecap/recaptcha?"><div class="g-recaptcha"></div></form>`,
    ),
  },
};
