import { framed } from "./frame.ts";

/** What a protection service in front of the site answers to a visitor it has decided against. */
export const blockPage = (host: string, ray: string): string => `<!DOCTYPE html>
<html lang="en-US"><head><title>Attention Required! | Cloudflare</title><meta charset="UTF-8" />
<meta name="robots" content="noindex, nofollow" /><link rel="stylesheet" id="cf_styles-css" href="/cdn-cgi/styles/cf.errors.css" /></head>
<body><div id="cf-wrapper"><div id="cf-error-details" class="cf-error-details-wrapper">
<h1 data-translate="block_headline">Sorry, you have been blocked</h1>
<h2 class="cf-subheadline">You are unable to access ${host}</h2>
<p>The security service of this website decided that your last action looked like an attack.</p>
<p class="cf-error-footer"><span>Cloudflare Ray ID: <strong>${ray}</strong></span></p>
</div></div></body></html>
`;

export const CAPTCHA_PAGE = `<!DOCTYPE html>
<html lang="en"><head><title>Security check</title><meta charset="utf-8" /><meta name="robots" content="noindex" />
<script src="https://www.google.com/recaptcha/api.js" async defer></script></head>
<body><h1>Please verify that you are a human</h1>
<p>We have seen unusual traffic from your network. Complete the CAPTCHA below to continue to the page you asked for.</p>
<form id="challenge-form" method="post" action="/challenge.aspx">
<div class="g-recaptcha" data-sitekey="6LcWillowCountyExampleKeyNotARealOne00000"></div>
<noscript>Turn on JavaScript to pass the check.</noscript>
<input type="submit" value="Continue" /></form></body></html>
`;

export const MAINTENANCE_PAGE = `<!DOCTYPE html>
<html lang="en"><head><title>Scheduled maintenance</title><meta charset="utf-8" /></head>
<body><h1>The property tax system is down for maintenance</h1>
<p>The site is temporarily unavailable while we carry out scheduled maintenance. We will be back shortly.</p></body></html>
`;

export const ERROR_PAGE = `<!DOCTYPE html>
<html><head><title>Runtime Error</title></head><body bgcolor="white">
<h1>Server Error in '/' Application.<hr width="100%" size="1" color="silver"></h1><h2><i>Runtime Error</i></h2>
<p>An application error occurred on the server. The current custom error settings prevent its details from being viewed.</p></body></html>
`;

/** A harmless page that speaks of everything a careless detector looks for. */
export const MENTION_NOTICE = `<div class="notice"><p><b>New:</b> to keep robots away, online payments now ask for a CAPTCHA before checkout. If your
access was denied or your card was blocked, call us. Our site will be under maintenance on Sunday from 2 to 4 am.</p></div>`;

export const THROTTLE_PAGE = framed(
  "Too Many Requests",
  `<h2>Too many requests</h2><p>Please slow down and try again in a moment.</p>`,
);
